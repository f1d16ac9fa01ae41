"""Does a sentence of a source agree with a claim? Alignment, values, names, polarity, roles."""
