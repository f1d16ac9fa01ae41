"""From doubted facts to edits, and from edits to a corrected text."""
