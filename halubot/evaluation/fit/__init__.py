"""Calibration: a threshold and a probability fitted on labelled rows.

`examples` reads the scores of labelled rows from their reports. `cross_validation` fits a threshold
(`objectives`) and a probability (`platt`) in folds and measures both on the rows left out
(`reliability`). `calibrate` does that for a file of rows; `origin` tells which rows a rule made.
Needs the extra ``bench`` (numpy, scikit-learn).
"""
