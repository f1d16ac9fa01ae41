"""The comparison of a sentence's words with the sources: the explanation that `halubot check
--explain` prints, source by source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.style import Style

from halubot.render import items
from halubot.render.captions import VERDICTS
from halubot.render.inert import one_line
from halubot_tui.inspecting.drawing import (
    QUIET,
    SOURCE,
    STANCE_STYLES,
    hung,
    ink,
    stack_lines,
    stance,
)
from halubot_tui.problems import in_app_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from halubot.compare.explanation import Comparison, Explanation, Said
    from halubot.render.items import Entry
    from halubot.report import Report, Stance
    from halubot_tui.looks import Signs

NO_SENTENCE: Final = "Select a fact to see how its sentence was compared with the sources."
NO_SOURCE: Final = "There is no source whose words could be compared with this sentence."
WAITING: Final = "The words are being compared once more."
BY_WORDS: Final = "This is what the words alone say; the verdict is that of {method}."
_BY_RULES: Final = ("consensus", "cascade", "ensemble")
"""Methods whose verdicts rest on this comparison."""
_NEAREST: Final = 3
"""Sentences of silent sources that are shown."""


def number_of(entry: Entry | None) -> int | None:
    """The number of the sentence of an entry, counted from 1; None if there is none."""
    if entry is None:
        return None
    if entry.sentence is not None:
        return entry.sentence.index + 1
    return entry.fact.sentences[0] + 1 if entry.fact is not None and entry.fact.sentences else None


def explain_sentence(found: Explanation, report: Report, width: int, signs: Signs) -> Content:
    """The whole explanation: what speaks against the sentence, then for it, then what is silent."""
    verdict = report.sentences[found.number - 1].verdict
    sign = f"{signs.verdict(verdict)} {VERDICTS[verdict]}"
    lines = [*hung(Content(signs.quote(one_line(found.sentence))).stylize("bold"), width)]
    lines += hung(Content(sign).stylize(ink(verdict)), width)
    if found.reason:
        lines += hung(Content(in_app_words(found.reason)), width)
    if report.method not in _BY_RULES:
        lines += hung(Content(BY_WORDS.format(method=report.method)).stylize(QUIET), width)
    names = _names(report)
    order: Sequence[Stance] = ("contradicts", "supports", "silent")
    told = [said for said in found.sources if said.compared or _stance(said) != "silent"]
    samples = {source.id for source in report.sources if source.kind == "sample"}
    told.sort(key=lambda one: (order.index(_stance(one)), one.source in samples))
    for said in told:
        lines += [Content(""), *_source(said, names, width, signs)]
    mute = [names.get(said.source, said.source) for said in found.sources if said not in told]
    if mute:
        lines += [Content("")]
        lines += hung(Content("No sentence speaks of the same in").stylize("bold $primary"), width)
        lines += hung(Content(", ".join(mute)).stylize(QUIET), width)
    if not found.sources:
        lines += [Content(""), *hung(Content(NO_SOURCE).stylize(QUIET), width)]
    return stack_lines(lines)


def nearest(
    found: Explanation, sources: Sequence[str], report: Report, width: int, signs: Signs
) -> Iterator[Content]:
    """Of these sources, which are silent, the sentences that are nearest to the sentence, and what
    of it is not there."""
    names = _names(report)
    near = [
        (one, said) for said in found.sources if said.source in sources for one in said.compared[:1]
    ]
    near.sort(key=lambda pair: -pair[0].share)
    for one, said in near[:_NEAREST]:
        link = Style.from_meta({SOURCE: said.source})
        lead = Content(f"{stance('silent', signs)} ").stylize(STANCE_STYLES["silent"])
        lines = [*hung(_quote(one, signs), width, lead)]
        lines += hung(Content(names.get(said.source, said.source)).stylize(QUIET), width, "  ")
        missing = [pair.claim for pair in one.pairs if pair.source is None]
        if missing:
            lines += hung(Content.assemble(("not there: ", QUIET), ", ".join(missing)), width, "  ")
        yield from (line.stylize(link) for line in lines)


def _source(said: Said, names: Mapping[str, str], width: int, signs: Signs) -> Iterator[Content]:
    """Yield what one source says, and how each of its sentences was compared."""
    stands = _stance(said)
    style = STANCE_STYLES[stands]
    name = names.get(said.source, said.source)
    lead = Content(f"{stance(stands, signs)} ").stylize(style)
    head = Content.assemble((name, "bold $primary"), (f": {said.stance}", style))
    lines = [*hung(head, width, lead)]
    for one in said.compared:
        lines += _comparison(one, width, signs)
    if not said.compared:
        lines += hung(Content("no sentence that speaks of the same").stylize(QUIET), width, "  ")
    link = Style.from_meta({SOURCE: said.source})
    yield from (line.stylize(link) for line in lines)


def _comparison(one: Comparison, width: int, signs: Signs) -> Iterator[Content]:
    yield from hung(_quote(one, signs), width, "  ")
    for each in one.differences:
        told = Content.assemble(
            (each.claim, "bold underline $contradicted"),
            (f" {signs.plain('↔')} ", QUIET),
            (each.source, "bold underline"),
            f": {each.what}; {each.counts}",
        )
        yield from hung(told, width, "    ")
    paired = "; ".join(f"{pair.claim} = {pair.source}" for pair in one.pairs if pair.source)
    missing = "; ".join(pair.claim for pair in one.pairs if pair.source is None)
    share = f"{one.share:.0%} of the words that count are there"
    yield from hung(Content(share).stylize(QUIET), width, "    ")
    if paired:
        yield from hung(Content.assemble(("paired: ", QUIET), paired), width, "    ")
    if missing:
        yield from hung(Content.assemble(("not there: ", QUIET), missing), width, "    ")


def _quote(one: Comparison, signs: Signs) -> Content:
    """A sentence of a source, with the words marked that differ."""
    quote = one_line(one.quote)
    text = Content(signs.quote(quote))
    for each in one.differences:
        words = one_line(each.source)
        at = quote.find(words)
        if words and at >= 0:
            text = text.stylize("bold underline", at + 1, at + 1 + len(words))
    return text


def _stance(said: Said) -> Stance:
    from halubot.compare.explanation import SILENT

    if said.stance == SILENT:
        return "silent"
    return "contradicts" if said.stance == "contradicts" else "supports"


def _names(report: Report) -> Mapping[str, str]:
    return {source.id: items.citation(source, report) for source in report.sources}
