from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from halubot.render.captions import VERDICTS
from halubot.render.html import fragment, page
from halubot.report import Fact, Question, Report, Sentence, Threshold, Triple

VOID = {"meta"}


class Reader(HTMLParser):
    """Checks that elements close in order; gathers texts, elements, ids and links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.names: set[str] = set()
        self.words: list[str] = []
        self.message: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.classes: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        given = dict(attrs)
        self.attributes |= set(given)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name in ("href", "src") and value]
        self.classes |= set((given.get("class") or "").split())
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    assert reader.open == []
    return reader


def hostile(text: str) -> Report:
    fact = Fact(
        index=0,
        triple=Triple(text, "is", text),
        sentences=(0,),
        spans=((0, len(text)),),
        verdict="contradicted",
        score=1.0,
        reason=text,
    )
    return Report(
        text=text,
        question=Question(text=text),
        method="m",
        engine="0",
        label=text,
        threshold=Threshold(value=0.5, fitted_on=text),
        sentences=(Sentence(index=0, start=0, end=len(text), facts=(0,)),),
        facts=(fact,),
    )


def test_a_page_is_whole_and_loads_nothing(report: Report) -> None:
    shown = page(report)
    found = read(shown)
    assert shown.startswith("<!doctype html>")
    # The policy comes before anything that it is to hold for.
    policy = shown.index("Content-Security-Policy")
    assert policy < shown.index("<title>")
    assert "default-src 'none'" in shown[policy:]
    assert not {"script", "link", "img", "iframe", "object"} & found.names
    assert all(link.startswith("#") for link in found.links)
    assert "url(" not in shown
    assert "@import" not in shown


def test_every_link_has_its_target(report: Report) -> None:
    found = read(page(report))
    assert len(found.ids) == len(set(found.ids))
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert len(found.links) == 7


def test_marks_are_named_for_those_who_do_not_see_them(report: Report) -> None:
    shown, said = page(report), VERDICTS["contradicted"]
    assert f'<mark class="strong contradicted" title="1, {said}: The reference says' in shown
    assert f'aria-label="1, {said}"' in shown


def test_a_notebook_shows_the_fragment(report: Report) -> None:
    assert report._repr_html_() == fragment(report)


def test_markup_in_a_message_stays_text() -> None:
    text = "<script>alert(1)</script> \" onmouseover='x' </style> &amp; \x1b[31m"
    found = read(page(hostile(text)))
    assert "script" not in found.names
    assert "onmouseover" not in found.attributes
    assert text.replace("\x1b", "␛") in "".join(found.words)


@given(
    st.text(
        alphabet=st.sampled_from("ab<>&\"' /=\n\x00\x1b\u202eé東👩‍👧של"), min_size=1, max_size=60
    )
)
def test_any_text_is_shown_and_nothing_of_it_is_markup(text: str) -> None:
    known = read(page(hostile("plain"))).names
    found = read(page(hostile(text)))
    assert found.names <= known | {"bdi"}
