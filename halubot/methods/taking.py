"""The facts of a case: those extracted before, else those taken now, by rules or by the judge.

Every method that works on facts takes them here, so that several may judge the same ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from halubot.events import FactsExtracted
from halubot.extract import extract, extractor_name
from halubot.methods.registry import Case

if TYPE_CHECKING:
    from halubot.steps.extracting import Extraction, Reader
    from halubot.steps.talk import Talk

BEFORE: Final = "extracted before"
"""How facts were found that came with the case."""


def by_rules(case: Case) -> FactsExtracted:
    """The facts of a case that no model is asked for. Takes time linear in the message."""
    if case.facts is not None:
        return FactsExtracted(facts=case.facts, how=BEFORE)
    facts = extract(case.message, subject=case.subject)
    return FactsExtracted(facts=facts, how=extractor_name(case.message))


async def by_judge(
    case: Case, talk: Talk, *, as_published: bool = False, reader: Reader | None = None
) -> Extraction:
    """The facts of a case in the judge's words (`halubot.steps.extracting.extracted`). No call is
    made for facts that came with the case."""
    from halubot.steps.extracting import Extraction, extracted

    if case.facts is not None:
        return Extraction(case.facts, BEFORE)
    return await extracted(
        talk, case.message, subject=case.subject, as_published=as_published, reader=reader
    )
