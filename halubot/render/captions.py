"""The words of a report for people: verdicts, counts, summaries, contributions, and their signs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from halubot.money import dollars
from halubot.render.inert import crop, one_line
from halubot.verdicts import DOUBTED, SEVERITY

if TYPE_CHECKING:
    # For types alone: the app draws its first screen with these words before pydantic is loaded.
    from halubot.report import (
        Action,
        Correction,
        Edit,
        Evidence,
        Fact,
        Models,
        Report,
        Source,
        SourceKind,
        Stance,
        Threshold,
        Verdict,
    )


class Words(NamedTuple):
    """A verdict in words: alone ("3 contradicted"), and said of one fact or sentence, and of
    several ("3 facts are contradicted")."""

    alone: str
    one: str
    many: str


WORDS: Mapping[Verdict, Words] = {
    "contradicted": Words("contradicted", "is contradicted", "are contradicted"),
    "doubtful": Words("doubtful", "is doubtful", "are doubtful"),
    "not_checked": Words("undecided", "is undecided", "are undecided"),
    "supported": Words("supported", "is supported", "are supported"),
}
_YOURS = ", so read {} yourself"
"""What most of a text being undecided means for its reader: unmarked is not right."""

VERDICTS: Mapping[Verdict, str] = {verdict: words.alone for verdict, words in WORDS.items()}
GLYPHS: Mapping[Verdict, str] = {
    "contradicted": "✗",
    "doubtful": "?",
    "not_checked": "○",
    "supported": "✓",
}
ASCII_GLYPHS: Mapping[Verdict, str] = {
    "contradicted": "x",
    "doubtful": "?",
    "not_checked": "o",
    "supported": "+",
}
MEANINGS: Mapping[Verdict, str] = {
    "contradicted": "a source says otherwise",
    "doubtful": "little speaks for it, or sources differ",
    "not_checked": "halubot cannot tell whether a source says or denies it",
    "supported": "a source says all of it",
}
"""What each verdict means, for the legends and for assistants."""
STANCES: Mapping[Stance, str] = {
    "supports": "says so",
    "contradicts": "contradicts it",
    "silent": "does not clearly say so",
}
ACTIONS: Mapping[Action, str] = {
    "changed": "changed",
    "removed": "removed",
    "hedged": "hedged",
    "kept": "left as is",
    "refused": "not corrected",
}
CHANGES: Mapping[str, str] = {
    "→": "replaced",
    "−": "taken out",
    "+": "put in",
    "=": "left as is",
    "!": "not corrected",
}
"""The signs of a correction in a text, and what they say."""

_NOUNS: Mapping[SourceKind, tuple[str, str]] = {
    "sample": ("other answer", "other answers"),
    "reference": ("reference", "references"),
    "knowledge": ("passage", "passages"),
}
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_RIVALS_NAMED = 3
_PROBLEMS_NAMED = 4
_LONGEST_VALUE = 60


def number(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: "1 fact", "3 facts"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def glyph(verdict: Verdict, *, ascii: bool = False) -> str:
    """The sign of a verdict, one cell wide."""
    return (ASCII_GLYPHS if ascii else GLYPHS)[verdict]


def key(verdict: Verdict, numbered: int | None, *, ascii: bool = False) -> str:
    """Return the sign and number behind a mark in the text: ✗¹, or [x1] in ASCII."""
    sign = glyph(verdict, ascii=ascii)
    digits = "" if numbered is None else str(numbered)
    return f"[{sign}{digits}]" if ascii else sign + digits.translate(_SUPERSCRIPTS)


def bar(score: float, *, cells: int = 10, ascii: bool = False) -> tuple[str, str]:
    """A score in [0, 1] as a bar of so many cells, full at 1 only: its filled part, the rest."""
    # Rounded as the figure beside it, and then down: a full bar says 1.00. The small addition
    # undoes 0.7 * 10 = 6.999...
    filled = max(0, min(cells, int(round(score, 2) * cells + 1e-9)))
    full, empty = ("#", ".") if ascii else ("▰", "▱")
    return full * filled, empty * (cells - filled)


def reading(fact: Fact, report: Report | None = None) -> str:
    """A fact in readable words: its triple, or its clause; never empty. With the ``report`` it
    belongs to, a fact is read as it stands in the text if the words of its subject or its object
    would be in another order than there: its clause was misread."""
    words = _as_it_stands(fact, report) if report is not None else ""
    return one_line(words or str(fact.triple)) or f"fact {fact.index + 1}"


def _as_it_stands(fact: Fact, report: Report) -> str:
    """The words of the text from the first of a fact to the last, if its triple has them in another
    order; "" if not."""
    sentence = next(
        (report.sentences[n] for n in fact.sentences if n < len(report.sentences)), None
    )
    if sentence is None:
        return ""
    start, end = sentence.start, sentence.end
    text = report.text[start:end]
    head, relation, tail = fact.triple
    # Its last word may be that of a date or place which the text begins with: "in" 1776.
    before, _, last_word = relation.rpartition(" ")
    relation = before if last_word.islower() and tail else relation
    parts = (head, relation, tail) if tail else (f"{head} {relation}",)
    if all(is_in_order(one, text) for one in parts):
        return ""
    said = {*_WORD.findall(str(fact.triple).casefold())}
    found = [*_WORD.finditer(text)]
    own = [one[0].casefold() in said for one in found]
    telling = [n for n, one in enumerate(found) if own[n] and (len(one[0]) > 3 or one[0].isdigit())]
    if not telling:
        return ""
    first, last = telling[0], telling[-1]
    while first and own[first - 1]:  # "in" before a year
        first -= 1
    while last + 1 < len(own) and own[last + 1]:
        last += 1
    return text[found[first].start() : found[last].end()]


def is_in_order(words: str, text: str) -> bool:
    """Return True if those of some words that a text has stand there in the same order."""
    known = _WORD.findall(text.casefold())
    there, rest = {*known}, iter(known)
    return all(one in rest for one in _WORD.findall(words.casefold()) if one in there)


_WORD: Final = re.compile(r"\w+")


def summary(report: Report) -> str:
    """Return the result as one sentence: "3 of 12 facts are in doubt: 2 are contradicted, 1 is
    doubtful; 1 is undecided."."""
    doubted = {fact.index for fact in report.doubted()}
    whole = [s for s in report.sentences if s.verdict in DOUBTED and doubted.isdisjoint(s.facts)]
    if report.facts:
        line = _tally("fact", [(fact.verdict, _cause(fact)) for fact in report.facts])
        more = "more " if report.doubted() else ""
        are = "is" if len(whole) == 1 else "are"
        extra = f"; {number(len(whole), f'{more}sentence')} {are} in doubt as a whole"
        return f"{line}{extra if whole else ''}."
    otherwise = WORDS["contradicted"]
    found = [
        (one.verdict, otherwise if one.verdict == "contradicted" else None)
        for one in report.sentences
    ]
    # A text of greetings has sentences and no fact: "0 of 2 sentences are doubtful" would say too
    # much.
    if not found or (report.factless and DOUBTED.isdisjoint(verdict for verdict, _ in found)):
        return "No fact was found to check."
    return f"{_tally('sentence', found)}."


def question(report: Report) -> str:
    """What a report calls its question, before the question itself."""
    written = report.question is not None and report.question.origin == "written"
    return "Question (written by the model)" if written else "Question"


def heading(verdict: Verdict) -> str:
    """The verdict in words as a line begins: "Not checked"."""
    return VERDICTS[verdict].capitalize()


def verdict(verdict: Verdict, kind: str | None = None) -> str:
    """The verdict in words, with the kind of error of a doubted fact: "contradicted (date)"."""
    return f"{VERDICTS[verdict]} ({kind})" if kind else VERDICTS[verdict]


def kinds(report: Report) -> str:
    """The kinds of error of the doubted facts, counted, the most frequent first: "2 date, 1
    name"; "" if there are none."""
    counted = Counter(fact.kind for fact in report.doubted() if fact.kind)
    return ", ".join(f"{count} {kind}" for kind, count in counted.most_common())


def compared_with(report: Report) -> str:
    """Return the sources in words: "14 other answers and 1 reference"."""
    kinds = Counter(source.kind for source in report.sources)
    counted = [number(kinds[kind], *_NOUNS[kind]) for kind in _NOUNS if kinds[kind]]
    return " and ".join(counted) or "nothing to compare with"


def threshold(given: Threshold) -> str:
    """Return the score at which doubt begins."""
    begins = f"doubted from {given.value:.2f} on"
    return begins if given.fitted_on else f"{begins}, as given"


def level(score: float | None, probability: float | None) -> str:
    """Say how doubtful something is, and how likely it is wrong if that is known: "doubt 0.83,
    91 % likely wrong"; "" if it has no score."""
    if score is None:
        return ""
    doubt = f"doubt {score:.2f}"
    if probability is None:
        return doubt
    percent = round(100 * probability)
    # Nothing was ever fitted that finely, and 0 % or 100 % would be a promise.
    share = "under 1 %" if percent < 1 else "over 99 %" if percent > 99 else f"{percent} %"
    return f"{doubt}, {share} likely wrong"


def took(report: Report) -> str:
    """Time, and calls and money if a model took part."""
    usage = report.usage
    parts = [f"{usage.seconds:.2f} s" if usage.seconds >= 0.01 else "under 0.01 s"]
    if usage.calls or usage.cached_calls:
        parts.insert(0, number(usage.calls, "model call"))
    if usage.cached_calls:
        parts.insert(1, f"{usage.cached_calls} from the cache")
    if usage.cost_usd is not None:
        parts.append(dollars(usage.cost_usd))
    return ", ".join(parts)


def _models(models: Models) -> tuple[str, ...]:
    """Who took part: one name, or who answers and who judges."""
    answers = models.answer or models.sample
    if models.judge and answers and answers != models.judge:
        return (f"answers by {one_line(answers)}, judged by {one_line(models.judge)}",)
    return tuple(one_line(name) for name in (models.judge or answers,) if name)


def method(report: Report) -> tuple[str, ...]:
    """Say how the result was reached, in short phrases."""
    doubt = threshold(report.threshold)
    # One doubted fact says its kind itself.
    told = kinds(report) if len(report.doubted()) > 1 else ""
    errors = (f"errors: {told}",) if told else ()
    means = (one_line(report.method), *_models(report.models), compared_with(report))
    return (*means, doubt, *errors, took(report))


def counts(fact: Fact, report: Report) -> str:
    """Who says what of a fact, references first: "The reference says 1828; 2 of 14 other
    answers agree with the text, 9 say 1828; the other 3 are undecided". "" if no source was
    asked."""
    kinds = {source.id: source.kind for source in report.sources}
    by_kind: dict[SourceKind, list[Evidence]] = {}
    for item in fact.evidence:
        by_kind.setdefault(kinds.get(item.source, "sample"), []).append(item)
    order: tuple[SourceKind, ...] = ("reference", "knowledge", "sample")
    phrases: list[str] = []
    otherwise = False
    for kind in (kind for kind in order if kind in by_kind):
        # "says so" behind "the reference says 1828" would be read as: says 1828
        so = ("agrees with the text", "agree with the text") if otherwise else ("says so", "say so")
        phrases.append(_phrase(kind, by_kind[kind], so))
        otherwise = otherwise or any(one.stance == "contradicts" for one in by_kind[kind])
    said = "; ".join(phrases)
    return said[:1].upper() + said[1:]


def feedback(fact: Fact) -> str:
    """Return the person's word that decides a fact's verdict, with its note and the verdict
    without it: "You said on 2026-03-01 that it is wrong: it was 1815 (supported without your
    word)". "" if nobody said anything."""
    said = fact.feedback
    if said is None:
        return ""
    # In the zone of the reader: an evening in one place is the next day in UTC.
    day = said.at.astimezone().date().isoformat()
    note = f": {one_line(said.note)}" if said.note else ""
    without = f" ({VERDICTS[said.verdict]} without your word)"
    differs = said.verdict != fact.verdict
    return f"You said on {day} that it is {said.says}{note}{without if differs else ''}"


def source_name(source: Source, report: Report) -> str:
    """Return the name of a source: its title, or its kind and its place among those of its
    kind."""
    if source.title.strip():
        return one_line(source.title)
    alike = [other.id for other in report.sources if other.kind == source.kind]
    return f"{_NOUNS[source.kind][0]} {alike.index(source.id) + 1}"


def changes(correction: Correction) -> str:
    """Return the changes of a correction in one line: "4 replaced, 1 removed"."""
    done = Counter(edit.action for edit in correction.edits)
    return (
        ", ".join(f"{done[act]} {word}" for act, word in ACTIONS.items() if done[act])
        or "no changes"
    )


def refusal(edit: Edit) -> str:
    """Why a sentence was not corrected, as a sentence; "" if nobody said."""
    reason = one_line(edit.reason) if edit.reason else ""
    return reason[:1].upper() + reason[1:]


def problems(report: Report, told: Collection[str] = ()) -> tuple[str, ...]:
    """Say what went wrong, a line a reason: what it did, and why. A reason that another tells in
    full is that one; those ``told`` already, as reasons of facts, are left out."""
    whys = [one_line(problem.why) for problem in report.problems]
    by_why: dict[str, dict[str, None]] = {}
    for problem, why in zip(report.problems, whys, strict=True):
        # One dead server brings many problems, some with its reason in a longer one: each reason is
        # told once.
        full = next((other for other in whys if f": {why}; " in other), why)
        by_why.setdefault(full, {})[one_line(problem.what)] = None
    return tuple(
        f"{_list_items(list(whats))}: {why}" for why, whats in by_why.items() if why not in told
    )


def _list_items(whats: Sequence[str]) -> str:
    named, more = whats[:_PROBLEMS_NAMED], len(whats) - _PROBLEMS_NAMED
    return ", ".join([*named, f"and {more} more"] if more > 0 else named)


def before_and_after(report: Report) -> tuple[tuple[str, str, str], ...]:
    """The figures of a report and of its corrected text: rows of (what, before, after);
    empty if the corrected text was not checked again."""
    again = report.correction.report if report.correction else None
    if again is None:
        return ()

    what = "facts" if report.facts or again.facts else "sentences"
    old, new = (Counter(one.verdict for one in getattr(of, what)) for of in (report, again))
    rows = [(what, str(old.total()), str(new.total()))]
    rows += [(VERDICTS[verdict], str(old[verdict]), str(new[verdict])) for verdict in SEVERITY]
    return tuple(rows)


_IN_DOUBT: Final = Words("in doubt", "is in doubt", "are in doubt")
_CALLED_WRONG: Final = Words(
    "wrong by your word", "is wrong by your word", "are wrong by your word"
)


def _cause(fact: Fact) -> Words | None:
    """What speaks against a doubted fact, in words; None for any other."""
    if fact.verdict == "doubtful" and fact.feedback is not None:
        return _CALLED_WRONG
    return WORDS[fact.verdict] if fact.verdict in DOUBTED else None


def _tally(noun: str, found: Sequence[tuple[Verdict, Words | None]]) -> str:
    """Say how many are in doubt and why, without a full stop."""
    verdicts = [verdict for verdict, _ in found]
    doubted = sum(verdict in DOUBTED for verdict in verdicts)
    unchecked = verdicts.count("not_checked")
    most = 2 * unchecked > len(found)
    yours = _YOURS.format("it" if unchecked == 1 else "them") if most else ""
    if not doubted:
        backed = verdicts.count("supported")
        line = _share(noun, backed, len(found), WORDS["supported"])
        if unchecked:
            line = _share(noun, unchecked, len(found), WORDS["not_checked"]) + yours
        return f"{line}; {_others(backed, WORDS['supported'])}" if unchecked and backed else line
    causes = Counter(cause for _, cause in found if cause is not None)
    # One cause for all is told in place of "in doubt", not behind it.
    if len(causes) == 1 and causes.total() == doubted:
        (cause,) = causes
        line = _share(noun, doubted, len(found), cause)
    else:
        order = (WORDS["contradicted"], WORDS["doubtful"], _CALLED_WRONG)
        told = ", ".join(_count(causes[cause], cause) for cause in order if causes[cause])
        line = _share(noun, doubted, len(found), _IN_DOUBT) + (f": {told}" if told else "")
    return f"{line}; {_count(unchecked, WORDS['not_checked'])}{yours}" if unchecked else line


def _count(count: int, words: Words) -> str:
    return f"{count} {words.one if count == 1 else words.many}"


def _others(count: int, words: Words) -> str:
    """Say what the rest is: "the other one is undecided"."""
    return f"the other one {words.one}" if count == 1 else f"the other {count} {words.many}"


def _share(noun: str, count: int, of: int, words: Words) -> str:
    """Say how many of all are so: "2 of 6 facts are contradicted"."""
    if of == 1:
        return f"The only {noun} {words.one}"
    if count == of:
        return f"All {number(of, noun)} {words.many}"
    return f"{count} of {number(of, noun)} {words.one if count == 1 else words.many}"


def _phrase(kind: SourceKind, evidence: Sequence[Evidence], so: tuple[str, str]) -> str:
    one, many = _NOUNS[kind]
    stances = Counter(item.stance for item in evidence)
    rivals = _rivals(evidence)
    if len(evidence) == 1:
        if rivals:
            return f"the {one} says {rivals[0][0]}"
        agrees = evidence[0].stance == "supports"
        return f"the {one} {so[0] if agrees else STANCES[evidence[0].stance]}"
    total, supports, silent = len(evidence), stances["supports"], stances["silent"]
    if silent == total:
        return f"found in none of {total} {many}"
    named = rivals[:_RIVALS_NAMED]
    rest = sum(n for _, n in rivals[_RIVALS_NAMED:])
    # Twenty samples with twenty values: their number tells more than three of them.
    if rest and named[0][1] == 1:
        named, rest = [], len(rivals)
    plain = stances["contradicts"] - sum(n for _, n in rivals)
    told = [
        (supports, so),
        *((n, (f"says {value}", f"say {value}")) for value, n in named),
        (rest, ("says something else", "say something else")),
        (plain, ("contradicts it", "contradict it")),
    ]
    said = [(n, words[n != 1]) for n, words in told if n]
    first, words = said[0]
    every = "both" if total == 2 else f"all {total}"
    parts = [f"{every if first == total else f'{first} of {total}'} {many} {words}"]
    parts += [f"{n} {words}" for n, words in said[1:]]
    line = ", ".join(parts)
    # Silence is the tool's: the source may well say it in words that were not understood.
    return f"{line}; {_others(silent, WORDS['not_checked'])}" if silent else line


def _rivals(evidence: Sequence[Evidence]) -> list[tuple[str, int]]:
    """The other values given, the most frequent first, each as it was first written."""
    written: dict[str, str] = {}
    votes: Counter[str] = Counter()
    for item in evidence:
        if item.stance == "contradicts" and (value := one_line(item.value or _told(item))):
            # "Paris" and "paris" are one vote each for the same.
            votes[value.casefold()] += 1
            written.setdefault(value.casefold(), crop(value, _LONGEST_VALUE))
    # A value with a comma would run into the list that it stands in.
    quoted = {key: f"“{v}”" if re.search(r"[,;]\s", v) else v for key, v in written.items()}
    return [(quoted[value], n) for value, n in votes.most_common()]


def _told(item: Evidence) -> str:
    """Return the value that contradicts a fact though it cannot take its place: "since 1996"
    beside "in 1987"; "" for none."""
    return item.note[len(_SAYS) :] if item.note and item.note.startswith(_SAYS) else ""


_SAYS: Final = "says "
