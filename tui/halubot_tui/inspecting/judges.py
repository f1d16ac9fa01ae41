"""What judges of a message or of its sentences said: their votes, their reasons, how they lean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from textual.content import Content

from halubot.render import captions, citations
from halubot.render.inert import crop, one_line
from halubot_tui.inspecting.drawing import QUIET, STANCE_STYLES, hung, stance
from halubot_tui.inspecting.plainly import LONGEST, MOST, plain, row, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halubot.render.items import Entry
    from halubot.report import Report, Stance
    from halubot_tui.looks import Signs


_VOTES: Final[Mapping[str, tuple[Stance, str]]] = {
    "yes": ("contradicts", "finds it made up"),
    "no": ("supports", "finds it borne out"),
}


def read(report: Report, width: int, signs: Signs) -> Iterator[Content]:
    """What a judge said of each sentence, in each of its repeats, and by which passage."""
    names = {source.id: citations.citation(source, report) for source in report.sources}
    repeats = rows(report.details.get("steps"))
    for sentence in report.sentences[:MOST] if repeats else ():
        passages: set[str] = set()
        text = crop(one_line(report.text[sentence.start : sentence.end]), LONGEST)
        yield from hung(Content(text).stylize("bold"), width, f"{sentence.index + 1}. ")
        for whole in repeats:
            said = whole.get("sentences")
            word = said.get(str(sentence.index)) if isinstance(said, Mapping) else None
            if isinstance(word, Mapping):
                yield from _word(word, names, passages, width, signs)


def _word(
    word: Mapping[str, Any],
    names: Mapping[str, str],
    passages: set[str],
    width: int,
    signs: Signs,
) -> Iterator[Content]:
    """One word of a judge on a sentence: its vote, why, and the passage that it named, where it is
    not among the ``passages`` shown before."""
    vote = _VOTES.get(str(word.get("hallucinated")))
    sign = Content("  ")
    parts = [crop(one_line(plain(word.get("why") or "")), LONGEST)]
    if vote is not None:
        sign = Content(f"{stance(vote[0], signs)} ").stylize(STANCE_STYLES[vote[0]])
        parts.insert(0, vote[1])
    said = Content(": ".join(part for part in parts if part))
    yield from hung(said, width, Content("   ") + sign)
    passage = crop(one_line(plain(word.get("passage") or "")), LONGEST)
    if passage and passage not in passages:
        passages.add(passage)
        source = names.get(str(word.get("source")), "found in no source")
        cited = Content.assemble(signs.quoted(passage), " ", (source, QUIET))
        yield from hung(cited, width, "     ")


def votes(report: Report, entry: Entry | None, width: int, signs: Signs) -> Iterator[Content]:
    """How the repeats of a judge voted, and its reasons; of one that judges by each sample, its
    reasons on the sentences that are looked at."""
    counted, reasons = report.details.get("votes"), report.details.get("reasons")
    if isinstance(counted, Mapping):
        for name, meant in _OUTCOMES.items():
            count = counted.get(name)
            if isinstance(count, int) and count:
                yield from hung(Content(f"{captions.number(count, 'repeat')} {meant}"), width)
        if any(isinstance(one, list) for one in counted.values()):
            told = "What each sample says stands in the matrix."
            yield from hung(Content(told).stylize(QUIET), width)
    if isinstance(reasons, list):
        for repeat, reason in enumerate(reasons[:MOST], start=1):
            if reason:
                text = crop(one_line(plain(reason)), LONGEST)
                yield from hung(Content(text), width, f"{repeat}. ")
    if isinstance(reasons, Mapping):
        yield from _by_sample(report, reasons, entry, width)


_OUTCOMES: Final[Mapping[str, str]] = {
    "yes": "found a hallucination",
    "no": "found none",
    "lost": "gave no answer",
}


def _by_sample(
    report: Report, reasons: Mapping[str, Any], entry: Entry | None, width: int
) -> Iterator[Content]:
    names = {source.id: citations.citation(source, report) for source in report.sources}
    chosen: tuple[int, ...] = tuple(range(len(report.sentences)))
    if entry is not None and entry.sentence is not None:
        chosen = (entry.sentence.index,)
    elif entry is not None and entry.fact is not None:
        chosen = entry.fact.sentences
    for index in chosen[:MOST]:
        sentence = report.sentences[index]
        text = crop(one_line(report.text[sentence.start : sentence.end]), LONGEST)
        yield from hung(Content(text).stylize("bold"), width, f"{index + 1}. ")
        for id, said in reasons.items():
            reason = row(said, index)
            if reason:
                by = f"{names.get(id, one_line(id))}: "
                why = crop(one_line(plain(reason)), LONGEST)
                yield from hung(Content.assemble((by, QUIET), why), width, "   ")


def bias(bias: Any, width: int) -> Iterator[Content]:
    if isinstance(bias, Mapping) and isinstance(share := bias.get("yes_share"), int | float):
        said = f"{100 * share:.0f} % of {bias.get('verdicts')} verdicts found a hallucination"
        yield from hung(Content(said), width)
        if bias.get("suspect"):
            said = "So one-sided that its verdicts tell little."
            yield from hung(Content(said), width, Content("! ").stylize("bold $doubtful"))
