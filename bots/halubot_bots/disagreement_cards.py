"""The card of a disagreement: three lines in the channel, the rest behind its buttons."""

from __future__ import annotations

from os.path import commonprefix
from typing import TYPE_CHECKING, Final

from halubot.render.inert import crop
from halubot_bots.answer_parts import is_denial, telling_span
from halubot_bots.cards import Card, Choice, paged
from halubot_bots.catalogue import phrase
from halubot_bots.chat_text import bare, bold_in, first_words, inert_line
from halubot_bots.corrections import Corrected, corrections
from halubot_bots.differences import shared
from halubot_bots.feedback import mark, mark_difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from halubot_bots.differences import Difference, Said
    from halubot_bots.records import Disagreement, KeptWord, Place

    Group = Sequence[Said]

VALUE: Final = 60
"""Characters of a value in a card."""

QUOTES: Final = 36
"""Characters of all quotes in the channel: a phone of 320 pixels shows the card on three lines."""

LABEL: Final = 20
"""Characters of a sentence that stands for a value."""

LONGEST: Final = 300
"""Characters of a quote among the details."""

AROUND: Final = 40
"""Characters on each side of a correction that are shown in the channel."""

FEW: Final = 3
"""Values, bots named for one, and lines (one for the values) that are shown in the channel."""

CHOICES: Final = 25
"""Entries of a select menu of Discord."""


def channel_card(what: Disagreement, place: Place) -> Card:
    """Return the card that stands in the channel. Of answers that no longer differ it says so."""
    if not what.differences:
        return Card(tone="supported", headline=f"✓ {phrase('differ.resolved')}", slim=True)
    first = min(what.differences, key=_order)
    groups = first.groups[:FEW]
    told = [_tell(first, group, what, place, QUOTES // len(groups)) for group in groups]
    if len(what.differences) > 1:
        told.append(phrase("differ.more", count=len(what.differences) - 1))
    made = corrections(what)
    buttons = ["details"]
    if made and not what.corrected:
        buttons.append("correct")
    elif _options(what):
        buttons.append("choose")
    return Card(
        tone="doubtful" if len(first.groups[0]) < 2 else "contradicted",
        headline=f"≠ {' · '.join(told)}",
        blocks=tuple(_corrected(made[: FEW - 1], what) if what.corrected else ()),
        buttons=tuple(buttons),
        slim=True,
    )


def details(
    what: Disagreement, place: Place, words: Mapping[str, KeptWord] | None = None
) -> tuple[Card, ...]:
    """Return all places with all quotes, in pages; at least one. Those that a reader's ``words``
    call none come last."""
    said_none, blocks, choices = words or {}, [], {}
    marked = [(mark_difference(one), one) for one in sorted(what.differences, key=_order)]
    for name, difference in sorted(marked, key=lambda one: one[0] in said_none):
        lines = []
        if name in said_none:
            day = f"<t:{int(said_none[name].at)}:d>"
            lines.append(f"-# {phrase('said.no_difference', day=day)}")
        for group in difference.groups:
            value = inert_line(_label(difference, shared(group)))
            who = _names(group, what, len(group))
            lines.append(phrase("differ.says", count=len(group), value=value, who=who))
            quotes: dict[str, str] = {}  # what several say in the same words stands there once
            for said in group:
                quote = _quote(difference, said, LONGEST)
                quotes[quote] = f"{quotes.get(quote, '')} {_link(said, what, place)}".rstrip()
            lines += [f"> {quote}{links}" for quote, links in quotes.items()]
        blocks.append("\n".join(lines))
        label = " ≠ ".join(_label(difference, shared(group)) for group in difference.groups)
        about = phrase("said.take_back") if name in said_none else ""
        choices[blocks[-1]] = Choice(value=name, label=label, about=about)
    if what.corrected:
        blocks += _corrected(corrections(what), what, whole=True)
    if what.asked:
        asked = phrase("differ.question", text=inert_line(bare(what.asked), LONGEST))
        blocks.insert(0, f"-# {asked}")
    headline = phrase("differ.details", count=len(what.differences))
    compared = phrase("differ.compared", count=len(what.answers))
    small = f"-# {compared}. {phrase('differ.agreement')}"
    return paged(blocks, headline=headline, small=small, menu="none", choices=choices)


def chooser(what: Disagreement) -> Card:
    """Return the card on which a reader chooses between the values."""
    choices = tuple(choice for choice, *_ in _options(what).values())[:CHOICES]
    headline = phrase("differ.choose" if choices else "differ.nothing")
    return Card(headline=headline, menu="chosen", choices=choices)


def chosen(what: Disagreement, value: str) -> tuple[Card, ...]:
    """Return the answers corrected by a choice, in pages; the chooser again if the answers were
    changed since and it means nothing any more."""
    if (option := _options(what).get(value)) is None:
        return (chooser(what),)
    choice, difference, at = option
    headline = phrase("differ.by_choice", value=inert_line(choice.label))
    return corrected_pages(corrections(what, (difference, at)), headline)


def corrected_pages(
    made: Sequence[Corrected], headline: str, buttons: tuple[str, ...] = ()
) -> tuple[Card, ...]:
    """Return corrected answers with the changes marked, in pages; at least one."""
    blocks = [
        f"<@{one.answer.author}>:\n{one.marked}" if one.answer.author else one.marked
        for one in made
    ]
    return paged(blocks, headline=headline, buttons=buttons)


def _corrected(
    made: Sequence[Corrected], what: Disagreement, *, whole: bool = False
) -> Iterator[str]:
    """Yield each corrected answer: whose it is, who says otherwise, and a line of it around the
    change, or the ``whole`` text."""
    for one in made:
        who, by = f"<@{one.answer.author}>", _names(one.by, what)
        text = f"\n{one.marked}" if whole else one.excerpt(AROUND, VALUE)
        yield phrase("differ.corrected", count=len(one.by), who=who, by=by, text=text)


def _order(difference: Difference) -> tuple[bool, bool]:
    """What names a value is told before a mere denial, and what is settled before what is not."""
    return not difference.groups[0][0].text, not difference.settled


def _tell(difference: Difference, group: Group, what: Disagreement, place: Place, most: int) -> str:
    """Return what a group says and who says so, for the channel."""
    said = shared(group)
    quote = _quote(difference, said, max(most, min(len(said.text), VALUE)))
    return f"{quote} {_names(group, what)} {_link(said, what, place)}".rstrip()


def _names(group: Group, what: Disagreement, most: int = FEW) -> str:
    who = [
        inert_line(said.source, VALUE)
        if said.answer is None
        else f"<@{what.answers[said.answer].author}>"
        for said in group[:most]
    ]
    if len(group) > most:
        who.append(phrase("differ.others", count=len(group) - most))
    return phrase("differ.and", first=", ".join(who[:-1]), last=who[-1]) if who[1:] else who[0]


def _label(difference: Difference, said: Said) -> str:
    """Return what is said in a few words: the value, else the words in which it differs."""
    if said.text:
        return crop(bare(said.text), VALUE)
    start, _ = _find(difference, said, LABEL)
    words = first_words(bare(said.quote)[start:], LABEL)
    return phrase("differ.quote", text=f"… {words}" if start else words)


def _find(difference: Difference, said: Said, most: int) -> tuple[int, int]:
    """Return the place of a value in its sentence, of what begins to differ beside a denial, or of
    the words that tell a sentence from those of the other groups."""
    sentence, value = bare(said.quote), bare(said.text)
    start, end = max(0, sentence.find(value)), len(value)
    if not value:
        others = [bare(one[0].quote) for one in difference.groups if said not in one]
        if len({*map(is_denial, (sentence, *others))}) == 1:
            return telling_span(sentence, others, most)
        alike = max(len(commonprefix((sentence, other))) for other in others)  # noqa: RUF071 - letters
        start, end = sentence.rfind(" ", 0, alike) + 1, len(sentence)
    return start, start + end


def _quote(difference: Difference, said: Said, most: int) -> str:
    """Return at most so much of a sentence around what differs, which is in bold."""
    words = bold_in(bare(said.quote), _find(difference, said, min(most, QUOTES // 2)), most)
    return phrase("differ.quote", text=words)


def _link(said: Said, what: Disagreement, place: Place) -> str:
    """Return a link to the message or the page that says so; "" if there is none."""
    address = said.location
    if said.answer is not None:
        server = "@me" if place.server is None else place.server
        message = what.answers[said.answer].message
        address = f"https://discord.com/channels/{server}/{place.channel}/{message}"
    safe = address.startswith("https://") and not set(address) & set("()<> \n")
    return f"[↗]({address})" if safe else ""


def _options(what: Disagreement) -> dict[str, tuple[Choice, Difference, int]]:
    """Return the values between which a reader may choose, each with its place and the index of its
    group there, by a mark that finds it again; empty if no answer could be corrected."""
    found = {}
    for difference in what.differences:
        for at, group in enumerate(difference.groups):
            others = difference.answers - {said.answer for said in group}
            if others:
                name = mark(difference.kind, group[0].text, group[0].quote)
                label, about = _label(difference, shared(group)), bare(group[0].quote)
                found[name] = Choice(value=name, label=label, about=about), difference, at
    return found
