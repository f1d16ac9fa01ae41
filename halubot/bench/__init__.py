"""Benchmarks: public data sets, their metrics with intervals, and the runner.

The data's way: `datasets` reads rows, `runner` has each of them checked, `measures` turns what
came back into metrics, `intervals` says how far they can be trusted. Needs the extra ``bench``
(numpy, scikit-learn); nothing else of halubot imports this package.
"""
