"""The terminal app, on Textual."""
