"""Evaluation: data sets, their metrics with intervals, calibration, and the making of labelled
data.

`loader` reads rows, `runner` has each of them `checked` and keeps what is done (`finished_rows`),
`thresholds` finds the threshold of doubt, `measures` turns what came back into figures, `intervals`
says
how
far they can be trusted, `side_by_side` compares methods, `bench_page` draws them. `fit` calibrates,
`synthesis` makes data with labels. Needs the extra ``bench`` (numpy, scikit-learn).
"""
