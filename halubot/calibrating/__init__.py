"""Calibration: from which score on to doubt, and how likely what has a score is wrong.

The data's way: `examples` reads from the reports of labelled rows what was scored, `crossing` fits
a threshold (`objectives`) and a probability (`platt`) in folds and measures both on what each left
out (`reliability`), `fitting` does all that for a file of rows, `origin` tells which rows a rule
made, and `kept` keeps what came out and finds it again. `kept` is plain Python; the others need the
extra ``bench`` (numpy, scikit-learn).
"""
