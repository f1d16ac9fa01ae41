"""Words: where they stand, and which of them meet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare.tokens import STOP_WORDS, Token, normal, stem, tokens


def read(text: str) -> tuple[Token, ...]:
    return tokens(text, 0, len(text))


def norms(text: str) -> list[str]:
    return [token.norm for token in read(text)]


def kinds(text: str) -> dict[str, str]:
    return {token.text: token.kind for token in read(text)}


@given(st.text(max_size=80), st.data())
def test_tokens_stand_where_they_say(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = tokens(text, start, end)
    for token in found:
        assert start <= token.start < token.end <= end
        assert text[token.start : token.end] == token.text
        assert token.norm
        assert (token.kind == "number") == token.text[0].isdecimal()
    places = [(token.start, token.end) for token in found]
    assert places == sorted(set(places))


@given(st.text(max_size=80))
def test_every_letter_and_digit_is_in_a_token(text: str) -> None:
    covered = {at for token in read(text) for at in range(token.start, token.end)}
    missed = {character for at, character in enumerate(text) if at not in covered}
    assert not any(character.isalpha() or character.isdecimal() for character in missed)


@given(st.text(alphabet=st.characters(max_codepoint=0x24F), max_size=40))
def test_upper_and_lower_case_meet(text: str) -> None:
    shouted = text.upper()
    if shouted.lower() == text.lower():
        assert [t.norm for t in read(text.lower())] == [t.norm for t in read(shouted)] or any(
            word in STOP_WORDS for word in norms(text.lower())
        )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Émile", "emile"),
        ("Łódź", "lodz"),
        ("Straße", "strasse"),
        ("ＡＢＣ", "abc"),
        ("studied", "studies"),
        ("study", "studying"),
        ("university", "Universities"),
        ("universities'", "university's"),
        ("stopped", "stops"),
        ("l’université", "université"),
        ("O’Brien", "O'Brien's"),
        ("ёлка", "елка"),
        ("كِتَاب", "كتاب"),
    ],
)
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    assert norms(one) == norms(other)
    assert len(norms(one)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,200,000", "1200000"),
        ("1.200.000", "1200000"),
        ("21st", "21"),
        ("06", "6"),
        ("١٩٢٠", "1920"),
        ("U.S.", "US"),
        ("B.A.", "BA"),
    ],
)
def test_forms_of_a_number_or_of_initials_meet(one: str, other: str) -> None:
    assert norms(one) == norms(other)
    assert len(norms(one)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("1828", "1829"), ("1990", "1990s"), ("3.5", "35"), ("career", "care"), ("US", "us")],
)
def test_what_differs_does_not_meet(one: str, other: str) -> None:
    a, b = read(f"x {one}")[-1], read(f"x {other}")[-1]
    assert (a.norm, a.kind) != (b.norm, b.kind)


def test_hyphens_dashes_and_ranges_part_words() -> None:
    assert norms("Anglo-Irish, 1820–1876") == ["anglo", normal("Irish"), "1820", "1876"]


def test_lists_of_numbers_are_several() -> None:
    assert norms("May 22,1828") == ["may", "22", "1828"]


def test_kinds_inside_a_sentence() -> None:
    found = kinds("In May 1820 she may have met the May family of Ghent in NASA or the US.")
    assert found["In"] == found["she"] == found["the"] == "stop"
    assert found["May"] == found["Ghent"] == found["NASA"] == found["US"] == "name"
    assert found["may"] == "stop"
    assert found["met"] == "word"
    assert found["1820"] == "number"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Painters work.", "word"),
        ("Ada Lovelace worked.", "name"),
        ("McDonald worked.", "name"),
        ("NASA worked.", "name"),
        ("The Hague is old.", "stop"),
        ("May came.", "stop"),
    ],
)
def test_the_first_word_is_a_name_only_where_something_tells(text: str, kind: str) -> None:
    assert read(text)[0].kind == kind


def test_function_words_of_other_languages() -> None:
    found = kinds("die Stadt ist nicht groß, elle est dans la ville, он был в городе")
    stops = {word for word, kind in found.items() if kind == "stop"}
    assert stops == {"ist", "nicht", "elle", "est", "dans", "la", "он", "был", "в"}


def test_chinese_japanese_thai_and_korean_are_cut_into_pairs() -> None:
    assert norms("东京大学") == ["东京", "京大", "大学"]
    assert [t.kind for t in read("されて東京")] == ["stop", "stop", "word", "word"]
    assert norms("서울은 큰") == ["서울", "울은", "큰"]
    assert len(norms("กรุงเทพ")) > 1
    assert norms("AKB48の") == ["akb48", "の"]


def test_marks_stay_with_their_letters() -> None:
    assert [token.text for token in read("मुंबई में हिन्दी")] == ["मुंबई", "में", "हिन्दी"]
    assert len(read("e\u0301mile")) == 1
    assert norms("e\u0301mile") == norms("émile")


def test_only_the_span_is_read() -> None:
    text = "Ada wrote programs"
    assert [token.text for token in tokens(text, 4, 9)] == ["wrote"]
    assert tokens("", 0, 0) == ()
    assert tokens("... — !", 0, 7) == ()


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_a_stem_is_never_longer_and_never_empty(word: str) -> None:
    cut = stem(word)
    assert len(cut) <= len(word)
    assert bool(cut) == bool(word)
    assert cut[:2] == word[:2]
