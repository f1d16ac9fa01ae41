"""Words, names, denials, modals and quantities in five languages."""

from __future__ import annotations

import pytest

from halubot.compare.analysis import Analysis
from halubot.compare.multilingual import read_sentence, vocabulary_of
from halubot.compare.multilingual.vocabulary import FILES
from halubot.text import read


def analysed(code: str, text: str) -> Analysis:
    known = vocabulary_of(code)
    assert known is not None
    return read_sentence(read(text), (0, len(text)), known)


def test_english_has_no_tables_here() -> None:
    assert vocabulary_of("en") is None
    assert all(vocabulary_of(code) for code in FILES)


@pytest.mark.parametrize(
    ("code", "text", "names"),
    [
        ("de", "Die Architektin Johanna Lindner lebt in Weimar.", ["Johanna Lindner", "Weimar"]),
        ("de", "Die Brücke bleibt gesperrt, weil der Fluss Hochwasser führt.", []),
        ("de", "Das Schloss Falkenau und die Kellan-Brücke sind alt.", ["Falkenau", "Kellan"]),
        ("de", "Bürgermeister ist seit 2014 Paul Winter.", ["Paul Winter"]),
        ("de", "Gestern Abend trat das Gesetz in Kraft.", []),
        ("fr", "Le peintre Paul Mercier est né à Nantes.", ["Paul Mercier", "Nantes"]),
        ("es", "La cumbre de Zaragoza la abrió Elena Robles.", ["Zaragoza", "Elena Robles"]),
        ("zh", "本届书法比赛的一等奖由李文静获得。", ["李文静"]),
        ("zh", "会议将在杭州召开。", ["杭州"]),
        ("ar", "فازت الشاعرة ليلى حداد في القاهرة.", ["ليلى حداد", "القاهرة"]),
    ],
)  # fmt: skip
def test_names(code: str, text: str, names: list[str]) -> None:
    assert list(analysed(code, text).names) == names


@pytest.mark.parametrize(
    ("code", "one", "other"),
    [
        ("de", "Der Verein lädt die Mitglieder ein", "eingeladen"),
        ("de", "Sie nahmen am Marathon teil", "teilgenommen"),
        ("de", "Der Preis ist gestiegen", "steigt"),
        ("fr", "L'épave a été découverte", "découvert"),
        ("es", "Los científicos descubrieron la rana", "descubierto"),
        ("ar", "سيزور الرئيس المدينة", "بالمدينة"),
    ],
)
def test_forms_of_one_word_share_a_base(code: str, one: str, other: str) -> None:
    mine, theirs = analysed(code, one), analysed(code, other)
    assert mine.places.keys() & theirs.places.keys()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Eine Sauna gibt es im Hallenbad nicht."),
        ("fr", "En hiver, la piscine n'est pas chauffée."),
        ("fr", "Personne n'habite plus dans le château."),
        ("es", "En el choque no resultó herido nadie."),
        ("zh", "这家餐厅周一不营业。"),
        ("zh", "这种药对孕妇不安全。"),
        ("ar", "لم توقع الشركة العقد."),
    ],
)
def test_denials_cover_their_clause(code: str, text: str) -> None:
    found = analysed(code, text)
    last = max(found.denied)
    assert found.terms[last].clause == found.terms[-1].clause
    assert len(found.negations) == 1


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Nicht nur die Kinder kamen."),
        ("fr", "Une personne est venue, plus tard."),
        ("fr", "Le musée n'ouvre que le lundi."),
        ("es", "No solo vinieron los niños."),
        ("zh", "不仅孩子来了。"),
        ("ar", "لا يزال المتحف مفتوحا."),
    ],
)
def test_what_denies_nothing(code: str, text: str) -> None:
    assert not analysed(code, text).denied


@pytest.mark.parametrize(
    ("code", "text", "sense"),
    [
        ("de", "Hier darf nicht geraucht werden.", "cannot"),
        ("de", "Man muss nicht bezahlen.", "need not"),
        ("de", "Rauchen ist nicht verboten.", "may"),
        ("fr", "Ce médicament ne doit pas être conservé au frais.", "cannot"),
        ("es", "No es obligatorio llevar corbata.", "need not"),
        ("es", "El medicamento no debe tomarse con alcohol.", "cannot"),
        ("zh", "阅览室内禁止饮食。", "cannot"),
        ("zh", "参观者无需预约。", "need not"),
        ("ar", "لا يجوز تناول هذا الدواء.", "cannot"),
        ("de", "Nicht alle Gäste blieben.", "0.4"),
        ("fr", "La plupart des élèves ont réussi.", "0.8"),
        ("ar", "لم ينجح سوى بعض الطلاب.", "only"),
    ],
)
def test_operators(code: str, text: str, sense: str) -> None:
    assert sense in {one.sense.sense for one in analysed(code, text).operators}


def test_chinese_is_cut_by_its_list_of_words() -> None:
    found = analysed("zh", "这家公司计划明年扩大生产规模。")
    assert [term.text for term in found.terms] == ["公司", "计划", "明年", "扩大", "生产", "规模"]


def test_places_are_exact_with_points_and_clitics() -> None:
    text = "يقام السوق في المدينة ولا يُسمح بالتصوير."
    for term in analysed("ar", text).terms:
        assert text[term.start : term.end] == term.text


@pytest.mark.parametrize("code", list(FILES))
def test_a_blank_sentence_has_no_terms(code: str) -> None:
    assert analysed(code, " ").terms == ()
