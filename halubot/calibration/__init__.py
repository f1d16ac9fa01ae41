"""Calibrations: thresholds and probabilities fitted before, and found again for a check.

`store` keeps a person's own, reads those that come with halubot, and tells if a text is of the kind
that a calibration was measured on. `halubot.evaluation.fit` makes them.
"""
