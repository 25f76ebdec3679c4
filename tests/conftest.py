"""Settings of the whole test suite."""

from hypothesis import settings

# Single examples may wait for a first import; a deadline would make them flaky.
settings.register_profile("benchinfer", deadline=None)
settings.load_profile("benchinfer")
