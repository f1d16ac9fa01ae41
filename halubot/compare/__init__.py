"""Words of texts compared: tokens, negation, which texts name a topic, which parts are near."""
