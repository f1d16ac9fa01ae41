"""Benchmarks: data sets, their metrics with intervals, and the runner.

The data's way: `loading` reads rows, `runner` has each of them `checked` and keeps what is done
(`work`), `thresholds` finds where to doubt, `measures` turns what came back into metrics,
`intervals` says how far they can be trusted, `sidebyside` compares methods, `page` draws them.
Needs the extra ``bench`` (numpy, scikit-learn); of halubot only calibration imports this package.
"""
