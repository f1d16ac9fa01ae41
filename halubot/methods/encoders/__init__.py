"""A judge on this machine (`halubot.models.local`) in place of a language model's votes.

Its stances are votes like those of any other judge. Unlike a language model it says for each which
sentence of the source it rests on, so nothing is called supported without a quote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from halubot.errors import SettingError
from halubot.methods.registry import Case

if TYPE_CHECKING:
    from halubot.methods.encoders.quoted_verdicts import EncoderReading

JUDGE: Final = "judge"
"""The option that names a judge on this machine: ``nli:MODEL`` or ``grounding:MODEL``."""


def encoder_of(case: Case) -> EncoderReading | None:
    """Return the judge on this machine that a case names; None if it names none. Nothing of it is
    imported before. Raises SettingError for one that cannot be, or beside recorded verdicts, and
    what `halubot.models.local.encoder_judge.open_judge` does."""
    judge = case.options.get(JUDGE)
    if judge is None:
        return None
    if case.verdicts is not None:
        raise SettingError("recorded verdicts stand in for a judge: leave one of them out")
    from halubot.methods.encoders.quoted_verdicts import EncoderReading
    from halubot.models.local.encoder_judge import open_judge

    return EncoderReading(open_judge(judge), case.message)
