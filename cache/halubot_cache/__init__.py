"""The store of samples and other completions."""
