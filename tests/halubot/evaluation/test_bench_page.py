"""The page of a benchmark: whole, harmless, and with a line for each method."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from halubot.evaluation import measures
from halubot.evaluation.bench_page import STYLES, Line, chart, page, whisker
from halubot.evaluation.checked import Scored
from halubot.evaluation.result import Figures, Result
from halubot.evaluation.rows import Row
from halubot.evaluation.side_by_side import Comparison, Difference
from halubot.evaluation.statistics import intervals
from halubot.report import Usage


class Outline(HTMLParser):
    """The elements of a page, and whether each is closed where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.classes: list[str] = []
        self.texts: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.classes.append(dict(attrs).get("class") or "")
        if tag != "meta":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def outline(html: str) -> Outline:
    read = Outline()
    read.feed(html)
    return read


def result(method: str, scores: list[float | None], dataset: str = "own", **more: object) -> Result:
    scored = tuple(
        Scored(Row(str(i), "x", (float(i % 2),)), score, probability=score)
        for i, score in enumerate(scores)
    )
    figures = measures.of_dataset(dataset, scored, None)
    made = {
        "dataset": dataset,
        "method": method,
        "rows": len(scored),
        "data_sha256": "0" * 64,
        "engine": "9",
        "figures": figures,
        "intervals": intervals(figures, [""] * len(scored)),
        "usage": Usage(calls=3),
        "seconds": 1.0,
        "notes": ("threshold by 5-fold cross-validation",),
        "scored": scored,
        "compared_with": ("samples", "references"),
    }
    return Result(**{**made, **more})  # type: ignore[arg-type]


def test_baselines_stand_beside_the_methods() -> None:
    plain = result("words", SCORES[::-1])
    beside = {"unseen_words": Figures({"auroc": plain.figures["auroc"]}, plain.intervals)}
    html = page(Comparison((result("words", SCORES, baselines=beside),), ()), command="halubot")
    section = html.partition("Plain baselines</h2>")[2].partition("</section>")[0]
    cells = [text for text in outline(section).texts if text.strip()]
    assert cells[:4] == ["metric", "words", "unseen words", "auroc"]
    assert section.count("<td>") == 2


SCORES: list[float | None] = [i / 20 for i in range(20)]


def test_one_method_has_tables_and_three_charts() -> None:
    html = page(Comparison((result("words", SCORES),), ()), command="halubot bench own")
    read = outline(html)
    assert read.names.count("figure") == 3
    text = " ".join(read.texts)
    for said in ("compared with samples and references", "halubot bench own", "0" * 64, "seed 0"):
        assert said in text
    assert "threshold by 5-fold cross-validation" in text
    assert "words, probability" in text


def test_several_methods_have_lines_of_their_own_and_their_differences() -> None:
    found = Comparison(
        (result("words", SCORES), result("others", SCORES[::-1])),
        (
            Difference(
                "others", "words", {"auroc": -0.25, "f1": None}, {"auroc": (-0.3, -0.1), "f1": None}
            ),
        ),
    )
    read = outline(page(found, command=""))
    for style in ("line s0", "line s1"):
        assert read.classes.count(style) >= 3
    text = " ".join(read.texts)
    assert "others less words" in text
    assert "-0.250" in text
    assert "0 lies outside" in text


def test_nothing_is_loaded_and_nothing_is_markup() -> None:
    nasty = "<script>alert(1)</script>"
    one = result(nasty, SCORES, notes=(f"{nasty} & more",), models={"judge": nasty})
    html = page(Comparison((one,), ()), command=f"halubot --method '{nasty}'")
    assert "<script" not in html
    assert not re.search(r"(src|href)=|url\(|@import", html)
    assert re.findall(r"https?://[^\"]*", html) == ["http://www.w3.org/2000/svg"] * 3


@pytest.mark.parametrize("scores", [[0.5], [None, None], [0.2, None, None]])
def test_what_is_undefined_is_shown_as_such(scores: list[float | None]) -> None:
    read = outline(page(Comparison((result("words", scores),), ()), command=""))
    assert "undefined" in read.texts


def test_extraction_has_no_curves() -> None:
    row = Scored(Row("1", "x"), triples=(), paired=())
    one = replace(result("rules", SCORES), dataset="refchecker", scored=(row,))
    assert "figure" not in outline(page(Comparison((one,), ()), command="")).names


def test_points_lie_inside_the_drawing() -> None:
    drawn = chart("ROC", "x", "y", [Line("a", [(0, 0), (0.5, 1), (1, 1)], STYLES + 1, marked=True)])
    width, height = map(int, re.findall(r'viewBox="0 0 (\d+) (\d+)"', drawn)[0])
    assert 'class="line s1"' in drawn
    assert drawn.count("<circle") == 3
    for place in re.findall(r'points="([^"]+)"', drawn.split('class="key"', maxsplit=1)[0]):
        for x, y in (map(float, pair.split(",")) for pair in place.split()):
            assert 0 <= x <= width
            assert 0 <= y <= height


def test_a_whisker_without_any_reach_stands_in_the_middle() -> None:
    assert 'cx="60.0"' in whisker(0.0, (0.0, 0.0), 0.0, 0)


def test_the_area_below_precision_and_recall_is_the_average_precision() -> None:
    one = result("words", [0.9, 0.9, 0.5, 0.5, 0.2, 0.7, 0.1, 0.1])
    html = page(Comparison((one,), ()), command="")
    drawn = html.split("<figcaption>Precision and recall")[1].split("</figure>")[0]
    places = re.findall(r'points="([^"]+)" class="line s0"', drawn)[0].split()
    points = [tuple(map(float, pair.split(","))) for pair in places]
    bottom = max(float(y) for _, y in re.findall(r'points="([\d.]+),([\d.]+) ', drawn))
    side = 280
    area = sum((b[0] - a[0]) * (bottom - b[1]) for a, b in pairwise(points)) / side**2
    assert area == pytest.approx(one.metrics["auc_pr"], abs=2e-3)
