"""Words of texts compared: tokens, negation, what texts have in common, which parts are near."""
