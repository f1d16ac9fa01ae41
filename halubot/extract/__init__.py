"""Facts out of a text."""
