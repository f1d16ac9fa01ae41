"""The verifier: a small trained encoder that says what a source's words do to a claim."""

from __future__ import annotations

from collections.abc import Sequence

from halubot.verifier.encoder import OPEN, Judgement, Pair, Verifier, choose_verifier, open_verifier

__all__ = ["Judgement", "Verifier", "choose_verifier", "judge", "open_verifier"]


def judge(pairs: Sequence[Pair], verifier: str | None = None) -> list[Judgement]:
    """Return the probabilities of contradiction, neutral and entailment of each pair of a source
    and a claim, in order.

    ``verifier`` names another encoder than the one in use. With "none" every pair is neutral.
    Raises LocalModelError if the encoder cannot be loaded, or fails.
    """
    chosen = choose_verifier(verifier)
    return [OPEN] * len(pairs) if chosen is None else chosen.judge(pairs)
