"""Calibration: a threshold and a probability fitted on labelled rows.

`platt` reads the scores of labelled rows from their reports and fits a probability to them.
`cross_validation` fits a threshold and a probability in folds and measures both on the rows left
out. `calibrator` does that for a file of rows, `knowhalu_rule` for the rule of KnowHalu, and
`calibration_page` shows the result. Needs the extra ``bench`` (numpy, scikit-learn).
"""
