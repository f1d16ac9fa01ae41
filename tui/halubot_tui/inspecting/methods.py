"""The details of the methods that come with halubot, each in words of its own; those of any other
method as they are."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from textual.content import Content

from halubot.render import citing
from halubot.render.inert import cropped, one_line
from halubot_tui.inspecting.contributions import weighed
from halubot_tui.inspecting.drawing import QUIET, STANCE_STYLES, hung, phrases, stance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halubot.facts import Fact, Report, Stance
    from halubot.render.listing import Entry
    from halubot_tui.looks import Signs

KNOWN: Final = frozenset(
    {
        "extraction", "contributions", "members", "steps", "endings", "judgements", "aggregation",
        "off_target", "segments", "task", "comparisons", "triples", "facts", "vectors",
        "convolution", "thresholds", "weights", "repeats", "samples", "well_supported", "votes",
        "verdicts", "reasons", "bias", "mean_of_facts", "judged_samples", "context",
        "max_neg_log_p", "mean_neg_log_p",
    }
)  # fmt: skip
"""The details that have a view here."""

_MOST: Final = 200
_LONGEST: Final = 400
_FINDINGS: Final[Mapping[str, tuple[Stance, str]]] = {
    "agrees": ("supports", "agrees"),
    "contradicts": ("contradicts", "contradicts"),
    "nothing": ("silent", "says nothing of it"),
}
_STANCE_WORDS: Final[Mapping[Stance, str]] = {
    "supports": "supports it",
    "contradicts": "contradicts it",
    "silent": "is silent",
}
_TERMS: Final[Mapping[str, str]] = {
    "head": "subject asked for again",
    "relation": "relation asked for again",
    "tail": "value asked for again",
    "consistency": "other answers' graphs agree",
}


def sections(
    report: Report, entry: Entry | None, width: int, signs: Signs
) -> Iterator[tuple[str, Iterator[Content]]]:
    """The sections that the details of a report fill, by their titles."""
    fact = entry.fact if entry is not None else None
    details = report.details
    if fact is not None:
        yield "What moved its score", weighed(report, fact, width, signs)
        yield (
            "This fact, part by part",
            _examined(_row(details.get("facts"), fact.index), width, signs),
        )
        yield "This fact, triple by triple", _compared(report, fact, width, signs)
    yield "Members", _members(details.get("members"), width, signs)
    yield "Does it answer its question?", _off_target(details.get("off_target"), width)
    steps = details.get("steps")
    if _rows(steps) and "passages" in _rows(steps)[0]:
        yield "What was looked up", _looked_up(report, width, signs)
        yield "Judgements", _judgements(report, width)
    else:
        yield "Sentence by sentence", _read(report, width)
    yield "Votes", _votes(details, width, signs)
    yield "Leaning of the judge", _bias(details.get("bias"), width)
    yield "Well supported by other answers", _listed(details.get("well_supported"), width)
    yield "Rarest words", _rarity(report, width)


def tree(value: Any, width: int, depth: int = 0) -> Iterator[Content]:
    """Any details as lines, what lies within others set in."""
    pad = "  " * min(depth, 4)
    items: list[tuple[str, Any]] = []
    if isinstance(value, Mapping):
        items = [(f"{one_line(str(key))}: ", inner) for key, inner in islice(value.items(), _MOST)]
    elif isinstance(value, list | tuple):
        items = [("", inner) for inner in value[:_MOST]]
    for name, inner in items:
        if isinstance(inner, Mapping | list | tuple) and inner and depth < 6:
            if name:
                yield from hung(Content(name.rstrip()).stylize(QUIET), width, pad)
            yield from tree(inner, width, depth + 1)
        else:
            said = cropped(one_line(_plain(inner)), _LONGEST)
            yield from hung(Content.assemble((name, QUIET), said), width, pad)
    if isinstance(value, Mapping | list | tuple) and len(value) > _MOST:
        yield from hung(Content(f"and {len(value) - _MOST} more").stylize(QUIET), width, pad)


def _looked_up(report: Report, width: int, signs: Signs) -> Iterator[Content]:
    """KnowHalu's queries, each with the passages that were found and what they say."""
    steps = _rows(report.details.get("steps"))
    ends = {
        (end.get("segment"), end.get("form")): end for end in _rows(report.details.get("endings"))
    }
    several = len({step.get("segment") for step in steps}) > 1
    names = {source.id: citing.citation(source, report) for source in report.sources}
    for number, step in enumerate(steps[:_MOST], start=1):
        form = step.get("form")
        about = [
            *([f"part {step.get('segment', 0) + 1}"] if several else []),
            *([f"by {one_line(str(form))}"] if form else []),
        ]
        remark = f" ({', '.join(about)})" if about else ""
        query = one_line(str(step.get("specific") or step.get("general") or ""))
        yield from hung(Content.assemble((query, "bold"), (remark, QUIET)), width, f"{number}. ")
        if detail := step.get("detail"):
            yield from hung(
                Content.assemble(("of ", QUIET), f"“{one_line(str(detail))}”"), width, "   "
            )
        said, meant = _FINDINGS.get(str(step.get("finding")), ("silent", ""))
        found = one_line(str(step.get("sentence") or ""))
        triplets = "; ".join(
            one_line(" ".join(map(str, one))) for one in step.get("triplets") or () if one
        )
        lead = Content(f"   {stance(said, signs)} ").stylize(STANCE_STYLES[said])
        told = Content.assemble((f"{meant}: " if found or triplets else meant, STANCE_STYLES[said]))
        yield from hung(told + Content(found or triplets), width, lead)
        for passage in _rows(step.get("passages")):
            quote = cropped(one_line(str(passage.get("quote", ""))), 160)
            cited = names.get(str(passage.get("source")), one_line(str(passage.get("title", ""))))
            yield from hung(Content.assemble((f"“{quote}” ", ""), (cited, QUIET)), width, "     ")
    for (segment, form), end in ends.items():
        why = one_line(str(end.get("reason") or end.get("ended") or ""))
        about_form = f" by {form}" if form else ""
        part = (
            f"part {segment + 1}{about_form}" if several and isinstance(segment, int) else "Ended"
        )
        yield from hung(Content.assemble((f"{part}: ", QUIET), why), width)
    if len(steps) > _MOST:
        yield Content(f"and {len(steps) - _MOST} more").stylize(QUIET)


def _judgements(report: Report, width: int) -> Iterator[Content]:
    aggregation = report.details.get("aggregation")
    judged = _rows(report.details.get("judgements"))
    several = len({one.get("segment") for one in judged}) > 1
    for one in judged[:_MOST]:
        segment = one.get("segment")
        part = f"part {segment + 1}, " if several and isinstance(segment, int) else ""
        confidence = one.get("confidence")
        sure = f", confidence {confidence:.2f}" if isinstance(confidence, int | float) else ""
        name = f"{part}by {one_line(str(one.get('form')))}: "
        verdict = one_line(str(one.get("verdict")))
        yield from hung(Content.assemble((name, QUIET), (verdict, "bold"), sure), width)
        if reason := one.get("reason"):
            yield from hung(Content(one_line(str(reason))), width, "  ")
    if isinstance(aggregation, Mapping):
        for one in _rows(aggregation.get("taken"))[:_MOST]:
            segment = one.get("segment")
            part = f"of part {segment + 1} " if several and isinstance(segment, int) else ""
            said = f"Taken {part}is what {one_line(str(one.get('taken')))} says."
            yield from hung(Content(said), width)
        fitted = aggregation.get("fitted_on")
        rule = ", ".join(
            f"{key} {one_line(str(aggregation[key]))}"
            for key in ("base", "supplement", "d1", "d2")
            if aggregation.get(key) is not None
        )
        yield from hung(
            Content(f"Rule: {rule}; fitted on {fitted or 'no data'}").stylize(QUIET), width
        )


def _off_target(said: Any, width: int) -> Iterator[Content]:
    if not isinstance(said, Mapping):
        return
    if skipped := said.get("skipped"):
        yield from hung(Content(f"Not asked: {one_line(str(skipped))}"), width)
        return
    for key, name in (("asked", "Asked for"), ("extracted", "Given"), ("outcome", "Outcome")):
        if said.get(key):
            value = "nothing that answers it" if said[key] == "none" else one_line(str(said[key]))
            yield from hung(Content.assemble((f"{name}: ", QUIET), value), width)


def _compared(report: Report, fact: Fact, width: int, signs: Signs) -> Iterator[Content]:
    """Which triples of the references a judge held against a fact, and its reasons."""
    triples = _rows(report.details.get("triples"))
    names = {source.id: citing.citation(source, report) for source in report.sources}
    for comparison in _rows(report.details.get("comparisons")):
        facts = comparison.get("facts")
        said = facts.get(str(fact.index)) if isinstance(facts, Mapping) else None
        if not isinstance(said, Mapping):
            continue
        stood: Stance = said["stance"] if said.get("stance") in _STANCE_WORDS else "silent"
        lead = Content(f"{stance(stood, signs)} ").stylize(STANCE_STYLES[stood])
        reasons = one_line(_plain(said.get("reasons") or ""))
        judged = f"the judge finds it {_JUDGED[stood]}"
        yield from hung(Content(f"{judged}: {reasons}" if reasons else judged), width, lead)
        for key, kind in (("supporting", "supports"), ("contradicting", "contradicts")):
            for at in said.get(key) or ():
                if isinstance(at, int) and 0 <= at < len(triples):
                    triple = one_line(" ".join(map(str, triples[at].get("triple") or ())))
                    cited = names.get(str(triples[at].get("source")), "")
                    mark: Stance = "supports" if kind == "supports" else "contradicts"
                    sign = Content(f"  {stance(mark, signs)} ").stylize(STANCE_STYLES[mark])
                    yield from hung(
                        Content.assemble((triple, ""), (f" {signs.dash} {cited}", QUIET)),
                        width,
                        sign,
                    )


_JUDGED: Final[Mapping[Stance, str]] = {
    "supports": "supported",
    "contradicts": "contradicted",
    "silent": "neither supported nor contradicted",
}


def _examined(row: Any, width: int, signs: Signs) -> Iterator[Content]:
    """GCA's terms of a fact, and what was said when its parts were asked for again."""
    if not isinstance(row, Mapping):
        return
    terms = row.get("terms")
    for name, value in terms.items() if isinstance(terms, Mapping) else ():
        said = _TERMS.get(str(name), one_line(str(name)))
        if isinstance(value, int | float):
            full, rest = signs.bar(max(0.0, min(1.0, float(value))), 5)
            yield from hung(
                Content(f"{value:.2f} {said}"), width, Content.assemble(full, (rest, QUIET), " ")
            )
        else:
            yield from hung(Content(f"{said}: not known").stylize(QUIET), width, " " * 6)
    if question := row.get("question"):
        yield from hung(Content.assemble(("Asked: ", QUIET), one_line(str(question))), width)
    heard = row.get("said")
    for part, answers in heard.items() if isinstance(heard, Mapping) else ():
        if answers:
            name = f"{one_line(str(part))} said: "
            yield from hung(Content.assemble((name, QUIET), one_line(_plain(answers))), width)


def _members(members: Any, width: int, signs: Signs) -> Iterator[Content]:
    for name, said in members.items() if isinstance(members, Mapping) else ():
        if not isinstance(said, Mapping):
            continue
        score = said.get("score")
        parts = [Content(one_line(str(name))).stylize("bold")]
        if isinstance(score, int | float):
            full, rest = signs.bar(float(score), 5)
            parts.append(Content.assemble(full, (rest, QUIET), f" doubt {score:.2f}"))
        if said.get("label"):
            parts.append(Content(one_line(str(said["label"]))))
        fitted = said.get("calibrated_on")
        known = f"calibrated on {one_line(str(fitted))}" if fitted else "not calibrated"
        parts.append(Content(known).stylize(QUIET))
        yield from phrases(parts, width, signs)


def _read(report: Report, width: int) -> Iterator[Content]:
    """What a judge read out of the references of each sentence, repeat by repeat."""
    names = {source.id: citing.citation(source, report) for source in report.sources}
    for repeat, whole in enumerate(_rows(report.details.get("steps")), start=1):
        sentences = whole.get("sentences")
        yield from hung(Content(f"Repeat {repeat}").stylize("bold"), width)
        for key, word in sentences.items() if isinstance(sentences, Mapping) else ():
            if not isinstance(word, Mapping):
                continue
            source = names.get(str(word.get("source")), "")
            said = "; ".join(
                one_line(_plain(value))
                for name, value in word.items()
                if name not in ("source", "start", "end") and value not in ("", None)
            )
            place = f"{int(key) + 1}. " if str(key).isdigit() else ""
            cited = (f" {source}", QUIET) if source else ""
            yield from hung(Content.assemble(cropped(said, _LONGEST), cited), width, place)


def _votes(details: Mapping[str, Any], width: int, signs: Signs) -> Iterator[Content]:
    votes = details.get("votes")
    if isinstance(votes, Mapping) and all(isinstance(one, int) for one in votes.values()):
        said = {"yes": "found a hallucination", "no": "found none", "lost": "gave no answer"}
        for name, count in votes.items():
            if count:
                meant = said.get(str(name), one_line(str(name)))
                yield from hung(Content(f"{count} of the repeats {meant}"), width)
    reasons = details.get("reasons")
    if isinstance(reasons, list):
        for repeat, reason in enumerate(reasons[:_MOST], start=1):
            if reason:
                text = cropped(one_line(_plain(reason)), _LONGEST)
                yield from hung(Content(text), width, f"{repeat}. ")
    elif isinstance(votes, Mapping) and any(isinstance(one, list) for one in votes.values()):
        yield from hung(
            Content("What each sample says stands in the matrix.").stylize(QUIET), width
        )


def _bias(bias: Any, width: int) -> Iterator[Content]:
    if isinstance(bias, Mapping) and isinstance(share := bias.get("yes_share"), int | float):
        said = f"{share:.0%} of {bias.get('verdicts')} verdicts found a hallucination"
        yield from hung(Content(said), width)
        if bias.get("suspect"):
            said = "So one-sided that its verdicts tell little."
            yield from hung(Content(said), width, Content("! ").stylize("bold $doubtful"))


def _listed(lines: Any, width: int) -> Iterator[Content]:
    for line in lines[:_MOST] if isinstance(lines, list) else ():
        yield from hung(Content(one_line(str(line))), width, "- ")


def _rarity(report: Report, width: int) -> Iterator[Content]:
    rows = report.details.get("max_neg_log_p")
    if isinstance(rows, list):
        yield from hung(Content("-log p of the rarest word of each sentence").stylize(QUIET), width)
        for sentence, value in islice(zip(report.sentences, rows, strict=False), _MOST):
            text = cropped(one_line(report.text[sentence.start : sentence.end]), 80)
            shown = f"{value:.1f}" if isinstance(value, int | float) else "none"
            yield from hung(Content.assemble((f"{shown} ", "bold"), text), width)


def _rows(value: Any) -> Sequence[Mapping[str, Any]]:
    """The objects of a list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _row(value: Any, index: int) -> Any:
    return value[index] if isinstance(value, list) and 0 <= index < len(value) else None


def _plain(value: Any) -> str:
    """A value in words."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_plain(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return f"{value:.3g}" if isinstance(value, float) else str(value)
