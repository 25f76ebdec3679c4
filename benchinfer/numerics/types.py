"""Types of arrays."""

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]
type Codes = NDArray[np.int64]
type Counts = NDArray[np.int64]
type Flags = NDArray[np.bool_]
type States = NDArray[np.int8]
