"""Words of texts compared: tokens, negation, and which texts name a topic."""
