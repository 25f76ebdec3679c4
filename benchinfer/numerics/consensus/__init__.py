"""Relations that disagree least with an ensemble of relations, found exactly."""
