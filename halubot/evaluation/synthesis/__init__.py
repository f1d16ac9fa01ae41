"""Makers of data with labels, for calibration and benchmarks.

``changes`` needs no model: numbers, dates, names and negations are changed by rule. With a model:
``answers`` writes answers from a source alone, ``questions`` a question with a right and a wrong
answer from a record, ``hallucinated`` copies of an answer with the three kinds of fabrication, and
``negated`` copies with a term negated or exchanged.
"""
