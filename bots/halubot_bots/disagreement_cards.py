"""The card of a disagreement: three lines in the channel, the rest behind its buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from halubot.render.inert import crop, one_line
from halubot.text import read
from halubot_bots.cards import PAGE, Card, Choice, message, paged
from halubot_bots.catalogue import phrase
from halubot_bots.chat_text import bold_in, first_words, inert, inert_line, split_to
from halubot_bots.corrections import Corrected, corrections
from halubot_bots.differences import shared
from halubot_bots.feedback import mark, mark_difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from halubot_bots.differences import Difference, Said
    from halubot_bots.records import Disagreement, KeptWord, Place

VALUE: Final = 60
"""Characters of a value in a card."""

QUOTES: Final = 40
"""Characters of all quotes in the channel: a phone of 320 pixels shows them on two lines."""

LABEL: Final = 20
"""Characters of a sentence that stands for a value."""

LONGEST: Final = 300
"""Characters of a quote among the details."""

FEW: Final = 4
"""Values, bots that are named for one, and corrections that are shown in the channel."""

CHOICES: Final = 25
"""Entries of a select menu of Discord."""


def channel_card(what: Disagreement, place: Place, *, quotes: bool = True) -> Card:
    """Return the card that stands in the channel; without ``quotes`` it holds no words of others.
    Of answers that no longer differ it says so."""
    if not what.differences:
        return Card(tone="supported", headline=f"✓ {phrase('differ.resolved')}", slim=True)
    first = min(what.differences, key=_order)
    groups = first.groups[:FEW]
    line = phrase("differ.plain", count=len(first.answers))
    small = []
    if quotes:
        line = "; ".join(_tell(group, what, place, brief=True) for group in groups)
        if groups[0][0].text:
            small += [_quote(shared(group), what, place, QUOTES // len(groups)) for group in groups]
    if len(what.answers) > len(first.answers) or not quotes:
        small.append(phrase("differ.compared", count=len(what.answers)))
    if len(what.differences) > 1:
        small.append(phrase("differ.more", count=len(what.differences) - 1))
    made = corrections(what)
    buttons = ["details"]
    if made and not what.corrected:
        buttons.append("correct")
    elif _choices(what):
        buttons.append("choose")
    return Card(
        tone="doubtful" if len(first.groups[0]) < 2 else "contradicted",
        headline=f"≠ {line}",
        blocks=tuple(_corrected(made[:FEW], what) if what.corrected and quotes else ()),
        small=f"-# {' · '.join(small)}" if small else "",
        buttons=tuple(buttons),
        slim=True,
    )


def details(
    what: Disagreement, place: Place, words: Mapping[str, KeptWord] | None = None
) -> tuple[Card, ...]:
    """Return all places with all quotes, in pages; at least one. Those that a reader's ``words``
    call none come last."""
    said_none, blocks, choices = words or {}, [], {}
    marks = {mark_difference(one): one for one in sorted(what.differences, key=_order)}
    for name, difference in sorted(marks.items(), key=lambda one: one[0] in said_none):
        lines = []
        if name in said_none:
            day = f"<t:{int(said_none[name].at)}:d>"
            lines.append(f"-# {phrase('said.no_difference', day=day)}")
        for group in difference.groups:
            lines.append(_tell(group, what, place, brief=False))
            lines += [f"> {_quote(said, what, place, LONGEST)}" for said in group]
        blocks.append("\n".join(lines))
        label = " ≠ ".join(_label(shared(group)) for group in difference.groups)
        about = phrase("said.take_back") if name in said_none else ""
        choices[blocks[-1]] = Choice(value=name, label=crop(label, 95), about=about)
    if what.asked:
        asked = phrase("differ.question", text=inert_line(_shown(what.asked), LONGEST))
        blocks.insert(0, f"-# {asked}")
    headline = phrase("differ.details", count=len(what.differences))
    small = f"-# {phrase('differ.agreement')}"
    return paged(blocks, headline=headline, small=small, menu="none", choices=choices)


def chooser(what: Disagreement) -> Card:
    """Return the card on which a reader chooses between the values."""
    choices = _choices(what)
    if not choices:
        return message(phrase("differ.nothing"))
    return Card(headline=phrase("differ.choose"), menu="chosen", choices=choices)


def chosen(what: Disagreement, value: str) -> tuple[Card, ...]:
    """Return the answers corrected by a choice, in pages; the chooser again if the answers were
    changed since and it means nothing any more."""
    for name, difference, at in _groups(what):
        if name == value:
            made = corrections(what, (difference, at))
            label = inert_line(_label(shared(difference.groups[at])))
            return corrected_pages(made, phrase("differ.by_choice", value=label))
    return (chooser(what),)


def corrected_pages(
    made: Sequence[Corrected], headline: str, buttons: tuple[str, ...] = ()
) -> tuple[Card, ...]:
    """Return corrected answers with the changes marked, in pages; at least one."""
    blocks = []
    for one in made:
        first, *more = split_to(one.marked, PAGE - 200)
        who = f"<@{one.answer.author}>:\n" if one.answer.author else ""
        blocks += [f"{who}{first}", *more]
    return paged(blocks, headline=headline, buttons=buttons)


def _corrected(made: Sequence[Corrected], what: Disagreement) -> Iterator[str]:
    """Yield each corrected answer in a line: whose it is, who says otherwise, and the change."""
    for one in made:
        at = what.answers.index(one.answer)
        winners = (w.settled for w in what.differences if w.settled and at in w.answers)
        by = next(group for group in winners if at not in {said.answer for said in group})
        who, text = f"<@{one.answer.author}>", _change(one)
        yield phrase("differ.corrected", count=len(by), who=who, by=_names(by, what), text=text)


def _change(made: Corrected) -> str:
    """Return the first change of a correction with a few words around it, marked."""
    edit, text = made.edits[0], made.answer.text
    before, after = text[max(0, edit.start - 40) : edit.start], text[edit.end : edit.end + 40]
    left = "…" if edit.start > 40 else ""
    right = "…" if edit.end + 40 < len(text) else ""
    old, new = (crop(_shown(one), VALUE) for one in (text[edit.start : edit.end], edit.after))
    gap = " " if before[-1:].isspace() else ""
    behind = " " if after[:1].isspace() else ""
    marked = f"~~{inert(old)}~~ **{inert(new)}**"
    return f"{left}{inert(_shown(before))}{gap}{marked}{behind}{inert(_shown(after))}{right}"


def _order(difference: Difference) -> tuple[bool, bool]:
    """What names a value is told before a mere denial, and what is settled before what is not."""
    return not difference.groups[0][0].text, not difference.settled


def _tell(group: Sequence[Said], what: Disagreement, place: Place, *, brief: bool) -> str:
    """Return who says what: "**1815** says @alpha and @gamma"; in ``brief`` a sentence has a link,
    for it is not quoted again."""
    named = _names(group, what, FEW if brief else len(group))
    if brief and not group[0].text:
        named = f"{named} {_link(group[0], what, place)}".rstrip()
    value = inert_line(_label(shared(group)))
    return phrase("differ.says", count=len(group), value=value, who=named)


def _names(group: Sequence[Said], what: Disagreement, most: int = FEW) -> str:
    who = [
        inert_line(said.source, VALUE)
        if said.answer is None
        else f"<@{what.answers[said.answer].author}>"
        for said in group[:most]
    ]
    if len(group) > most:
        who.append(phrase("differ.others", count=len(group) - most))
    return phrase("differ.and", first=", ".join(who[:-1]), last=who[-1]) if who[1:] else who[0]


def _label(said: Said) -> str:
    """Return what is said in a few words: the value, else the beginning of the sentence."""
    if said.text:
        return crop(_shown(said.text), VALUE)
    return f"“{first_words(_shown(said.quote), LABEL)}”"


def _quote(said: Said, what: Disagreement, place: Place, most: int) -> str:
    """Return at most so much of the sentence around a value, the value in bold, with a link to its
    message."""
    value, sentence = _shown(said.text), _shown(said.quote)
    start = max(0, sentence.find(value))
    words = bold_in(sentence, (start, start + len(value)), most)
    return f"“{words}” {_link(said, what, place)}".rstrip()


def _shown(text: str) -> str:
    """Return words of an answer on one line, without its Markdown."""
    document = read(text)
    both = zip(document.text, document.plain, strict=True)
    return one_line("".join(one for one, plain in both if one == plain))


def _link(said: Said, what: Disagreement, place: Place) -> str:
    """Return a link to the message or the page that says so; "" if there is none."""
    address = said.location
    if said.answer is not None:
        server = "@me" if place.server is None else place.server
        message = what.answers[said.answer].message
        address = f"https://discord.com/channels/{server}/{place.channel}/{message}"
    safe = address.startswith("https://") and not set(address) & set("()<> \n")
    return f"[↗]({address})" if safe else ""


def _groups(what: Disagreement) -> Iterator[tuple[str, Difference, int]]:
    """Yield each group of each difference by its number, with a mark by which it is found again,
    whatever its place."""
    for difference in what.differences:
        for at, group in enumerate(difference.groups):
            yield mark(difference.kind, group[0].text, group[0].quote), difference, at


def _choices(what: Disagreement) -> tuple[Choice, ...]:
    """Return the values between which a reader may choose; empty if none can be replaced."""
    found = {}
    for name, difference, at in _groups(what):
        if corrections(what, (difference, at)):
            group = difference.groups[at]
            label, about = crop(_label(shared(group)), 95), crop(_shown(group[0].quote), 95)
            found[name] = Choice(value=name, label=label, about=about)
    return tuple(found.values())[:CHOICES]
