"""`ensemble`: the comparison and a model's votes, or several methods, as one score."""
