"""The comparison of a sentence's words with the sources: the explanation that `halubot check
--explain` prints, source by source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.style import Style

from halubot.render.captions import VERDICTS
from halubot.render.inert import one_line
from halubot_tui.inspecting.drawing import (
    QUIET,
    SOURCE,
    STANCE_STYLES,
    cite,
    hung,
    ink,
    stack_lines,
    stance,
    strip_marks,
)
from halubot_tui.inspecting.facts import Stances
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
_HEADS: Final[Mapping[Stance, str]] = {
    "contradicts": "Against it",
    "supports": "For it",
    "silent": "Silent",
}
_NOTHING_NEAR: Final = "no sentence speaks of the same"
_OF_THE_WHOLE: Final[Mapping[Stance, str]] = {
    "contradicts": "against the sentence as a whole",
    "supports": "for the sentence as a whole",
    "silent": "silent on the sentence as a whole",
}
_NEAREST: Final = 3
"""Sentences of silent sources that are shown."""


def number_of(entry: Entry | None) -> int | None:
    """The number of the sentence of an entry, counted from 1; None if there is none."""
    if entry is None:
        return None
    if entry.sentence is not None:
        return entry.sentence.index + 1
    return entry.fact.sentences[0] + 1 if entry.fact is not None and entry.fact.sentences else None


def explain_sentence(
    found: Explanation, entry: Entry, report: Report, width: int, signs: Signs
) -> Content:
    """The whole explanation: what speaks against the entry, then for it, then what is silent. What
    a source says is counted as in the list of facts; it may say something else of the sentence as
    a whole."""
    lines = [*hung(Content(strip_marks(entry.reading)).stylize("bold"), width)]
    sign = f"{signs.verdict(entry.verdict)} {VERDICTS[entry.verdict]}"
    counts = Stances.of(entry.fact) if entry.fact is not None else Stances()
    verdict = Content(sign).stylize(ink(entry.verdict))
    if counts.asked_count:
        verdict += Content(f" {signs.dash} ").stylize(QUIET) + counts.in_words()
    lines += hung(verdict, width)
    sentence = Content.assemble(("Its sentence: ", QUIET), signs.quote(one_line(found.sentence)))
    lines += hung(sentence, width)
    if found.reason and entry.fact is None:
        lines += hung(Content(in_app_words(found.reason)), width)
    if report.method not in _BY_RULES:
        lines += hung(Content(BY_WORDS.format(method=report.method)).stylize(QUIET), width)
    names = _names(report)
    said_of = {} if entry.fact is None else {one.source: one.stance for one in entry.fact.evidence}
    samples = {source.id for source in report.sources if source.kind == "sample"}
    order: Sequence[Stance] = ("contradicts", "supports", "silent")
    for stood in order:
        own = [one for one in found.sources if said_of.get(one.source, _stance(one)) == stood]
        if not own:
            continue
        own.sort(key=lambda one: (not one.compared, one.source in samples))
        lines += [Content(""), Content(f"{_HEADS[stood]} ({len(own)})").stylize("bold $primary")]
        for said in own:
            if said.compared:
                lines += _source(said, stood, names, width, signs)
        mute = [names.get(one.source, one.source) for one in own if not one.compared]
        if mute:
            told = f"{', '.join(mute)}: {_NOTHING_NEAR}"
            lead = Content(f"{stance(stood, signs)} ").stylize(STANCE_STYLES[stood])
            lines += hung(Content(told).stylize(QUIET), width, lead)
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


def _source(
    said: Said, stood: Stance, names: Mapping[str, str], width: int, signs: Signs
) -> Iterator[Content]:
    """Yield how the sentence was compared with each sentence of one source that is near."""
    lead = Content(f"{stance(stood, signs)} ").stylize(STANCE_STYLES[stood])
    name = Content(names.get(said.source, said.source)).stylize("bold")
    if _stance(said) != stood:
        name += Content(f" ({_OF_THE_WHOLE[_stance(said)]})").stylize(QUIET)
    lines = [*hung(name, width, lead)]
    for one in said.compared:
        lines += _comparison(one, width, signs)
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
    return {source.id: cite(source, report) for source in report.sources}
