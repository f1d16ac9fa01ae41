"""Calibration: from which score on to doubt, and how likely what has a score is wrong.

The data's way: `rows` has labelled rows checked, `fitting` turns their scores into a threshold and
a probability and measures both out of fold, `kept` keeps what came out and finds it again. `kept`
is plain Python; the others need the extra ``bench`` (numpy, scikit-learn).
"""
