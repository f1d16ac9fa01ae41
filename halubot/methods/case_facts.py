"""The facts of a case: those extracted before, else those taken now, by rules or by the judge.

Every method that works on facts takes them here, so that several may judge the same ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from halubot.events import FactsExtracted
from halubot.extract import extract, extractor_name
from halubot.methods.registry import Case

if TYPE_CHECKING:
    from halubot.llm_calls.extraction import Extraction, Reader
    from halubot.llm_calls.talk import Talk

from halubot.report import Source

BEFORE: Final = "extracted before"
"""How facts were found that came with the case."""


def by_rules(case: Case) -> FactsExtracted:
    """The facts of a case that no model is asked for. Takes time linear in the message."""
    if case.facts is not None:
        return FactsExtracted(facts=case.facts, how=BEFORE)
    facts = extract(case.message, subject=case.subject)
    return FactsExtracted(facts=facts, how=extractor_name(case.message))


async def by_judge(
    case: Case,
    talk: Talk,
    *,
    as_published: bool = False,
    rules: bool = True,
    reader: Reader | None = None,
) -> Extraction:
    """The facts of a case in the judge's words (`halubot.llm_calls.extraction.extract_with_judge`);
    what the judge left out is read by ``rules``. No call is made for facts that came with the
    case."""
    from halubot.llm_calls.extraction import Extraction, extract_with_judge

    if case.facts is not None:
        return Extraction(case.facts, BEFORE)
    return await extract_with_judge(
        talk,
        case.message,
        subject=case.subject,
        as_published=as_published,
        by_rules=rules,
        reader=reader,
    )


async def draw_samples(case: Case, count: int | None = None) -> tuple[Source, ...]:
    """The samples of a case: those given, else up to ``count`` that are drawn now or were drawn
    before; all that may be drawn where ``count`` is None, none where none may."""
    if case.samples or case.draws is None:
        return case.samples
    return await case.draws.until(case.draws.most if count is None else count)
