"""Evaluation: data sets, metrics with intervals, calibration, and the making of labelled data.

`loader` reads rows, `runner` checks each of them (`checked`) and keeps the results
(`finished_rows`). `thresholds` finds the threshold of doubt, `measures` and `statistics` turn the
results into figures with intervals, `side_by_side` compares methods, and `bench_page` draws the
page. `fit` calibrates, `synthesis` makes data with labels. Needs the extra ``bench`` (numpy,
scikit-learn).
"""
