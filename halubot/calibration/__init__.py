"""Calibrations: thresholds and probabilities fitted before, and found again for a check.

`store` keeps a person's own and reads those that come with halubot; `likeness` tells if a text is
of
the kind that a calibration was measured on. `halubot.evaluation.fit` makes them.
"""
