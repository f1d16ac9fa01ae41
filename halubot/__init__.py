"""halubot checks a message fact by fact."""
__version__ = "0.1.0"
