"""What a text says of a claim in another language than English; the pairs of `benchmarks/`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halubot import check

FOLDER = Path(__file__).parents[4] / "benchmarks"
DOUBTED = {"doubtful", "contradicted"}


def verdicts(message: str, source: str) -> list[str]:
    return [one.verdict for one in check(message, references=[source]).sentences]


@pytest.mark.parametrize("name", ["pairs_languages", "pairs_languages_2", "pairs_languages_3"])
@pytest.mark.parametrize("code", ["de", "fr", "es", "zh", "ar"])
def test_pairs_of_a_language(name: str, code: str) -> None:
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["language"] == code]
    doubted = {"right": 0, "hallucinated": 0}
    for row in rows:
        found = verdicts(row["text"], row["references"][0])
        doubted[row["label"]] += not DOUBTED.isdisjoint(found)
        assert row["label"] == "right" or set(found) != {"supported"}, row["id"]
    assert doubted["right"] <= 1
    assert doubted["hallucinated"] >= 0.7 * len(rows) / 2


@pytest.mark.parametrize(
    ("message", "source"),
    [
        ("Der Hund hat die Katze gebissen.", "Die Katze hat den Hund gebissen."),
        ("Der Stadtrat stimmte gegen den Antrag.", "Der Stadtrat stimmte für den Antrag."),
        ("Die Brücke wird gesperrt.", "Die Brücke könnte gesperrt werden."),
        ("Mehr Frauen als Männer nahmen teil.", "Weniger Frauen als Männer nahmen teil."),
        ("Le chat a mordu le chien.", "Le chien a mordu le chat."),
        ("Le train va de Lyon à Dijon.", "Le train va de Dijon à Lyon."),
        ("El gato mordió al perro.", "El perro mordió al gato."),
        ("El consejo votó en contra del plan.", "El consejo votó a favor del plan."),
        ("列车从北京开往上海。", "列车从上海开往北京。"),
        ("عض القط الكلب.", "عض الكلب القط."),
        ("صوت المجلس ضد المشروع.", "صوت المجلس لصالح المشروع."),
    ],
)
def test_the_same_words_need_not_say_the_same(message: str, source: str) -> None:
    assert verdicts(message, source) != ["supported"]


@pytest.mark.parametrize(
    ("message", "source"),
    [
        ("Die Preise für Wohnungen sind gestiegen.", "Die Wohnungspreise sind gestiegen."),
        ("Ein Blitz hat die Eiche gespalten.", "Die Eiche wurde von einem Blitz gespalten."),
        ("Une équipe a mis au point ce robot.", "Ce robot a été mis au point par une équipe."),
        ("El pastor encontró las monedas.", "Las monedas fueron encontradas por el pastor."),
        ("台风摧毁了房屋。", "房屋被台风摧毁。"),
        ("أمس افتتح الوزير المعرض.", "افتتح الوزير المعرض أمس."),
    ],
)
def test_another_order_may_say_the_same(message: str, source: str) -> None:
    assert verdicts(message, source) == ["supported"]


@pytest.mark.parametrize(
    ("message", "source", "wanted"),
    [
        ("Il ponte è stato aperto nel 1931.", "Il ponte è stato aperto nel 1913.", "contradicted"),
        (
            "Il ponte è stato aperto nel 1931.",
            "Il ponte non è stato aperto nel 1931.",
            "not_checked",
        ),
        ("Мост был построен в 1931 году.", "В 1931 году был построен мост.", "not_checked"),
        ("東京は日本の首都です。", "東京は日本の首都です。", "supported"),
    ],
)
def test_other_languages_are_compared_by_values_and_names(
    message: str, source: str, wanted: str
) -> None:
    report = check(message, references=[source])
    (sentence,) = report.sentences
    assert sentence.verdict == wanted
    if wanted == "not_checked":
        assert sentence.reason == "only values and names are compared in this language"


@pytest.mark.parametrize(
    ("message", "source"),
    [
        ("Ohne Anmeldung kann man nicht teilnehmen.", "Man kann nur mit Anmeldung teilnehmen."),
        ("Keiner der Bewerber hat bestanden.", "Alle Bewerber sind durchgefallen."),
        ("Aucun candidat n'a réussi l'épreuve.", "Tous les candidats ont échoué à l'épreuve."),
        ("No se puede participar sin carné.", "Solo se puede participar con carné."),
        ("لم ينجح أي طالب في الامتحان.", "رسب جميع الطلاب في الامتحان."),
    ],
)
def test_two_ways_of_denying_are_no_contradiction(message: str, source: str) -> None:
    assert DOUBTED.isdisjoint(verdicts(message, source))


def test_words_that_differ_say_nothing() -> None:
    source = "Die Bücherei besitzt viele seltene Landkarten und alte Zeitungen."
    assert verdicts("Die Bücherei besitzt ein kleines Café im Keller.", source) == ["not_checked"]
