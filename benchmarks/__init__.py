"""Measure halubot's methods on data sets with labels, and its speed and memory.

``python -m benchmarks DATASET --data FILE`` measures one method on one data set: `rows` and
`datasets` read the file, `runner` checks every row, `metrics` and `statistics` turn the reports
into figures with intervals, and `baselines` are measured on the same rows. The other modules are
programs that measure speed and memory. This package is not part of the wheel.
"""
