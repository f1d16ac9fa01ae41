"""The verifier: a small trained encoder that says what a source's words do to a claim."""

from halubot.verifier.encoder import Judgement, Verifier, open_verifier

__all__ = ["Judgement", "Verifier", "open_verifier"]
