import re

from halubot.demo import load

DEMO = load()
SENTENCES = re.split(r"(?<=\.)\s+", DEMO.text)


def test_the_message_has_five_to_eight_sentences() -> None:
    assert 5 <= len(SENTENCES) <= 8


def test_there_are_ten_samples_at_least_and_no_two_are_alike() -> None:
    assert len(set(DEMO.samples)) == len(DEMO.samples) >= 10
    assert all(sample.strip() == sample != "" for sample in DEMO.samples)


def test_each_planted_error_stands_once_in_its_sentence() -> None:
    for planted in DEMO.planted:
        assert SENTENCES[planted.sentence].count(planted.wrong) == 1
        assert DEMO.text.count(planted.wrong) == 1


def test_errors_of_every_kind_are_planted() -> None:
    kinds = {planted.kind for planted in DEMO.planted}
    assert kinds == {"year", "name", "number", "negation", "invention"}
    assert [p.kind for p in DEMO.planted if p.right is None] == ["invention"]


def test_most_samples_give_the_right_value_and_none_the_wrong_one() -> None:
    for planted in DEMO.planted:
        if planted.right is None:
            continue
        agreeing = [sample for sample in DEMO.samples if planted.right in sample]
        assert len(agreeing) > len(DEMO.samples) / 2, planted
        assert not any(planted.wrong in sample for sample in DEMO.samples), planted


def test_nobody_else_tells_the_invention() -> None:
    others = " ".join([*DEMO.samples, *(str(reference.text) for reference in DEMO.references)])
    assert "Rothschild" not in others


def test_some_samples_are_vague_or_mistaken() -> None:
    assert any("1887" not in sample for sample in DEMO.samples)
    assert any("1886" in sample for sample in DEMO.samples)


def test_the_article_gives_every_agreed_value() -> None:
    article = " ".join(str(DEMO.references[0].text).split())
    assert all(p.right in article for p in DEMO.planted if p.right is not None)
