"""What a judge is shown of references as one text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot import check
from halubot.compare.tokens import with_tokens
from halubot.evidence import text_source
from halubot.evidence.context import LONGEST, MOST, NO_CONTEXT, Contexts, read_near
from halubot.report import Source
from halubot.text import read

BRIDGE = "The Kellan Bridge links Osby and Varn. It was opened in 1931."
FILLER = [f"Paragraph {n} tells of wool, salt and rain in the valley." for n in range(400)]


def references(*texts: str) -> list[Source]:
    return [text_source(text, "reference", n) for n, text in enumerate(texts, 1)]


def test_one_short_reference_is_shown_as_it_is() -> None:
    (source,) = references(BRIDGE)
    context = Contexts([source]).of(["When?"])
    assert context.text == BRIDGE
    assert context.parts == ((source, 0, len(BRIDGE)),)


def test_without_references_it_is_empty() -> None:
    assert Contexts([]).of(["When?"]) == NO_CONTEXT
    assert Contexts(references("  \n ")).of(["When?"]) == NO_CONTEXT
    assert Contexts([]).length == 0


def test_of_long_references_the_nearest_passages_are_shown_in_their_order() -> None:
    first = " ".join([*FILLER[:200], "Varn has a mint.", *FILLER[200:]])
    second = " ".join([*FILLER, BRIDGE])
    contexts = Contexts(references(first, second))
    assert contexts.length == len(first) + len(second)
    wanted = ["When was the Kellan Bridge opened?", "Is there a mint in Varn?"]
    context = contexts.of(wanted, 3000)
    assert len(context.text) <= 3000 + len("reference 1\n\n\nreference 2\n")
    assert BRIDGE in context.text
    assert "Varn has a mint." in context.text
    assert context.text.index("mint") < context.text.index("Kellan")
    assert "\n[...]\n" in context.text
    assert list(context.parts) == sorted(context.parts, key=lambda part: (part.source.id, part[1]))
    for source, start, end in context.parts:
        assert (source.text or "")[start:end] in context.text
    assert contexts.of(wanted, 3000) is context


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("It was opened in 1931.", "It was opened in 1931."),
        ("it was\n opened  IN 1931", "It was opened in 1931"),
        ("It was opened in 1932.", None),
        (" ", None),
        ("[a-z]+ (.*", None),
    ],
)
def test_the_place_of_a_quote(quote: str, found: str | None) -> None:
    context = Contexts(references("Nothing.", BRIDGE)).of([])
    place = context.find(quote)
    if place is None:
        assert found is None
        return
    assert place.source.id == "r2"
    assert BRIDGE[place.start : place.end] == found


def test_a_context_goes_on_where_two_things_want_the_same_passages() -> None:
    filler = "Quiet rivers passed many stones on their slow way down to a distant sea. " * 9
    first, second, third = (
        "Alpha met gamma. ",
        "Beta met delta. ",
        "Later alpha came alone. ",
    )
    text = "".join(f"{one}{filler}\n\n{filler * 15}\n\n" for one in (first, second, third))
    assert len(text) > LONGEST
    shown = Contexts(references(text)).of(["alpha gamma beta", "beta delta alpha"]).text
    assert all(one.strip() in shown for one in (first, second, third))


MESSAGE = "The Kellan Bridge was opened in 1931. Orla Venn designed it."


RAIN = "Rain fell on the hills, and nobody in the valley knew why it had come. "


def long(*places: tuple[float, str], size: int = 2 * MOST) -> str:
    """A text in which some sentences stand at these shares of its length."""
    pieces = [RAIN] * (size // len(RAIN))
    for place, sentence in places:
        pieces[int(place * (len(pieces) - 1))] = sentence + " "
    return "".join(pieces)


def test_short_texts_are_read_whole() -> None:
    texts = ["One. Two.", RAIN * 3]
    assert read_near(read(MESSAGE), texts) == [with_tokens(read(one)) for one in texts]


def test_of_a_long_text_what_speaks_of_the_message_is_read_at_its_place() -> None:
    says = "The Kellan Bridge was opened in 1928."
    text = long((0.7, says))
    (found,) = read_near(read(MESSAGE), [text])
    document = found.document
    assert document.text == text
    assert len(document.plain) == len(text)
    assert says in {text[start:end] for start, end in document.sentences}
    assert sum(not sign.isspace() for sign in document.plain) < MOST
    for tokens, (start, end) in zip(found.tokens, document.sentences, strict=True):
        assert all(text[t.start : t.end] == t.text and start <= t.start < end for t in tokens)


def test_verdicts_do_not_depend_on_what_stands_around() -> None:
    says = "Orla Venn designed it." + " The Kellan Bridge was opened in 1928."
    report = check(MESSAGE, references=[long((0.4, says))])
    verdicts = [sentence.verdict for sentence in report.sentences]
    assert verdicts[0] == "contradicted"
    (one,) = (e for fact in report.facts for e in fact.evidence if e.stance == "contradicts")
    assert one.quote == "The Kellan Bridge was opened in 1928."
    assert [problem.what for problem in report.problems] == ["not all was compared"]


def test_a_value_that_stands_anywhere_is_not_missing() -> None:
    # The year stands far from all else: what another sentence says is then no contradiction.
    text = long((0.1, "The Kellan Bridge was opened in 1928."), (0.9, "In 1931 it rained."))
    (found,) = read_near(read(MESSAGE), [text])
    assert "1931" in found.document.plain
    assert "1928" in found.document.plain


def test_of_many_texts_the_nearest_are_read() -> None:
    texts = [long(size=MOST // 10) for _ in range(20)]
    texts[13] = long((0.5, "The Kellan Bridge was opened in 1931."), size=MOST // 10)
    found = read_near(read(MESSAGE), texts)
    assert "Kellan" in found[13].document.plain
    assert [one.document.text for one in found] == texts


def test_scripts_without_spaces_are_found() -> None:
    text = "雨が降った。" * 100_000 + "東京は日本の首都です。" + "雨が降った。" * 10_000
    (found,) = read_near(read("東京は日本の首都である。"), [text])
    assert "東京は日本の首都です" in found.document.plain


@given(st.lists(st.text(max_size=300), max_size=5), st.text(max_size=80), st.integers(0, 500))
def test_whatever_is_read(texts: list[str], message: str, most: int) -> None:
    texts = [read(text).text for text in texts]
    found = read_near(read(message), texts, most)
    assert [one.document.text for one in found] == texts
    for one, text in zip(found, texts, strict=True):
        assert len(one.document.plain) == len(text)
        spans = one.document.sentences
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert list(spans) == sorted(spans)
    if sum(map(len, texts)) > most:
        assert sum(not sign.isspace() for one in found for sign in one.document.plain) <= most
