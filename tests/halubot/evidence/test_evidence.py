"""Sources read from files, samples from lines, and passages."""

from __future__ import annotations

import builtins
import logging
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from halubot.errors import BrokenLineError, HalubotError, InputError, UnreadableError
from halubot.evidence import text_source
from halubot.evidence.files import load, load_all, samples_of
from halubot.evidence.retrieval import passages
from halubot.text import read
from halubot.text.files import PAGE_BREAK, encodings


def _page(text: str, words: str) -> int:
    """The page on which words stand."""
    return text.count(PAGE_BREAK, 0, text.index(words)) + 1


def _pdf(path: Path, *pages: str, locked: bool = False, title: str = "") -> Path:
    """A PDF with a line of text for each line of a page."""
    writer = PdfWriter()
    for words in pages:
        page = writer.add_blank_page(300, 300)
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        lines = "".join(f"({line}) Tj 0 -14 Td " for line in words.split("\n") if line)
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 250 Td {lines}ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
    if title:
        writer.add_metadata({"/Title": title})
    if locked:
        writer.encrypt("open sesame", algorithm="RC4-128")
    with path.open("wb") as file:
        writer.write(file)
    return path


def _file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


class TestTextSource:
    def test_ids_titles_and_hash(self) -> None:
        sample = text_source("Ada wrote.", "sample", 3)
        assert (sample.id, sample.title, sample.location) == ("s3", "sample 3", "")
        assert len(sample.hash) == 16
        assert sample.hash == text_source("Ada wrote.", "reference", 1).hash
        assert sample.hash != text_source("Ada wrote!", "sample", 3).hash
        assert text_source("Words.\n\n## Ada L. ##\n", "reference", 2).title == "Ada L."
        assert text_source("x", "reference", 2).title == "reference 2"

    def test_the_text_is_cleaned(self) -> None:
        assert text_source("a\ud800b\x00", "sample", 1).text == "a\ufffdb "


class TestTextFiles:
    @pytest.mark.parametrize(
        "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252"]
    )
    def test_encodings(self, tmp_path: Path, encoding: str) -> None:
        path = _file(tmp_path, "a.txt", "Zoë naïve café.".encode(encoding))
        source = load(path)
        assert source.text == "Zoë naïve café."
        assert (source.id, source.kind, source.title) == ("r1", "reference", "a.txt")
        assert source.location == str(path)

    def test_the_first_heading_is_the_title(self, tmp_path: Path) -> None:
        assert load(_file(tmp_path, "a.md", "# **Ada** [L](x)\n\nShe wrote.")).title == "Ada L"


class TestBadFiles:
    @pytest.mark.parametrize("content", ["", " \n\t\n"])
    def test_empty(self, tmp_path: Path, content: str) -> None:
        with pytest.raises(InputError, match=r"a\.txt is empty"):
            load(_file(tmp_path, "a.txt", content))

    @pytest.mark.parametrize(
        "content",
        [
            bytes(range(256)) * 8,
            b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(50),
            b"\x7fELF\x02\x01\x01" + bytes(100),
            b"\x1f\x8b\x08\x00\x12\x34\x56\x07\x00\x03\xcb\x48\xcd\xc9\xc9\x57\x28",
            "hidden".encode("utf-16-le"),
        ],
    )
    def test_binary(self, tmp_path: Path, content: bytes) -> None:
        with pytest.raises(UnreadableError, match="looks like a binary file"):
            load(_file(tmp_path, "a.txt", content))

    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableError, match="there is no such file"):
            load(tmp_path / "none.txt")

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableError, match="it is a folder"):
            load(tmp_path)

    def test_forbidden(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = _file(tmp_path, "a.txt", "x")

        def refuse(*_: Any, **__: Any) -> Any:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(builtins, "open", refuse)
        with pytest.raises(UnreadableError, match=r"cannot read .*a\.txt: permission denied"):
            load(path)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(UnreadableError, match="not a regular file"):
            load(tmp_path / "pipe")

    def test_too_large(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(encodings, "LARGEST", 1 << 20)
        with pytest.raises(UnreadableError, match="larger than 1 MiB"):
            load(_file(tmp_path, "a.txt", b"x" * ((1 << 20) + 1)))


class TestWebPages:
    PAGE = (
        "<!doctype html><html><head><title>Ada &amp; the\n engine</title><style>p {}</style></head>"
        "<body><header>Site</header><nav>Menu</nav><main><h1>Ada</h1><p>She was <b>born</b> in\n"
        "1815.</p><p>She wrote.<br>A lot.</p><ul><li>one<li>two</ul>"
        "<table><tr><th>Born</th><td>1815</td></tr></table></main><aside>Ads</aside>"
        "<script>1 < 2</script><footer>Bye</footer></body></html>"
    )

    def test_paragraphs_and_title(self, tmp_path: Path) -> None:
        source = load(_file(tmp_path, "a.html", self.PAGE))
        assert source.title == "Ada & the engine"
        assert source.text == (
            "Ada\n\nShe was born in 1815.\n\nShe wrote.\n\nA lot.\n\none\n\ntwo\n\nBorn | 1815"
        )

    def test_declared_encoding(self, tmp_path: Path) -> None:
        page = "<html><meta charset='windows-1251'><h1>Мир</h1><p>Да.</p></html>"
        source = load(_file(tmp_path, "a.htm", page.encode("cp1251")))
        assert (source.title, source.text) == ("Мир", "Мир\n\nДа.")

    @pytest.mark.parametrize(
        "hidden",
        [
            "<p hidden>{}</p>",
            "<div hidden=until-found><p>{}</p></div>",
            "<p style='color: red; display : none'>{}</p>",
            "<p style='VISIBILITY:hidden;'>{}</p>",
            "<dialog>{}</dialog>",
        ],
    )
    def test_what_nobody_sees_is_no_evidence(self, tmp_path: Path, hidden: str) -> None:
        page = f"<body>{hidden.format('She died.')}<p>She was born in 1815. She wrote.</p></body>"
        assert load(_file(tmp_path, "a.html", page)).text == "She was born in 1815. She wrote."

    @pytest.mark.parametrize("style", ["display:block", "overflow:hidden", "--display:none", ""])
    def test_what_is_shown_is_kept(self, tmp_path: Path, style: str) -> None:
        page = f"<body><p style='{style}'>She wrote.</p><dialog open>Yes.</dialog></body>"
        assert load(_file(tmp_path, "a.html", page)).text == "She wrote.\n\nYes."

    def test_the_main_element_is_the_page(self, tmp_path: Path) -> None:
        page = "<div>Sold 1902.</div><main><p>She was born in 1815.</p></main><p>Call 555.</p>"
        assert load(_file(tmp_path, "a.html", page)).text == "She was born in 1815."
        page = f"<main></main><p>{'She was born in 1815. ' * 5}</p>"
        assert "1815" in (load(_file(tmp_path, "a.html", page)).text or "")


class TestPdf:
    def test_pages(self, tmp_path: Path) -> None:
        path = _pdf(
            tmp_path / "a.pdf", "Ada was born\nin 1815.", "She wrote exam-\nples.", title="A"
        )
        source = load(path)
        assert source.text is not None
        assert source.title == "A"
        assert "She wrote examples." in source.text
        assert _page(source.text, "Ada") == 1
        assert _page(source.text, "She") == 2
        document = read(source.text)
        assert len(document.sentences) == 2

    @pytest.mark.parametrize("content", [b"%PDF-1.4 nothing", b"%PDF-1.7\n%%EOF", b"%PDF-"])
    def test_broken(
        self, tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]
    ) -> None:
        level = logging.getLogger("pypdf").level
        with pytest.raises(UnreadableError, match="the PDF is broken"):
            load(_file(tmp_path, "a.pdf", content))
        assert logging.getLogger("pypdf").level == level
        assert capfd.readouterr() == ("", "")

    def test_encrypted(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableError, match="the PDF is encrypted"):
            load(_pdf(tmp_path / "a.pdf", "Ada.", locked=True))


class TestFolders:
    def test_every_readable_file_in_order(self, tmp_path: Path) -> None:
        (tmp_path / "b").mkdir()
        (tmp_path / ".git").mkdir()
        _file(tmp_path, "c.md", "third")
        _file(tmp_path, "a.txt", "first")
        _file(tmp_path, "b/b.txt", "second")
        _file(tmp_path, ".git/x.txt", "hidden")
        _file(tmp_path, "empty.txt", "")
        _file(tmp_path, "picture.png", bytes(100))
        found = load_all(tmp_path)
        assert [(source.id, source.text) for source in found] == [
            ("r1", "first"),
            ("r2", "second"),
            ("r3", "third"),
        ]

    @pytest.mark.skipif(os.name == "nt", reason="links need a right of their own on Windows")
    def test_links_that_leave_it_are_skipped(self, tmp_path: Path) -> None:
        folder = tmp_path / "folder"
        (folder / "sub").mkdir(parents=True)
        secret = _file(tmp_path, "secret.txt", "The key is 1234.")
        _file(folder, "a.txt", "first")
        (folder / "b.txt").symlink_to(secret)
        (folder / "c").symlink_to(tmp_path)
        (folder / "d.txt").symlink_to("e.txt")
        (folder / "e.txt").symlink_to("d.txt")
        (folder / "sub" / "f.txt").symlink_to("../../secret.txt")
        (folder / "sub" / "g.txt").symlink_to("../a.txt")
        (folder / "sub" / "h.txt").symlink_to("/etc/passwd")
        left_out: list[HalubotError] = []
        found = load_all(folder, left_out=left_out)
        assert [source.text for source in found] == ["first", "first"]
        said = "\n".join(map(str, left_out))
        assert said.count("it is a link that leaves the folder") == len(left_out)
        for name in ("b.txt", "c", "f.txt", "h.txt"):
            assert f"{name}: it is a link" in said
        # The folder itself may be a link, and a link that is named is meant.
        (tmp_path / "other").symlink_to(folder)
        assert len(load_all(tmp_path / "other")) == 2
        assert [source.text for source in load_all(folder / "b.txt")] == ["The key is 1234."]

    def test_nothing_readable(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="no readable text"):
            load_all(tmp_path)


class TestSamples:
    def test_strings_and_objects(self, tmp_path: Path) -> None:
        path = _file(
            tmp_path, "s.jsonl", '"one\u2028more"\r\n\n{"text": "two", "model": "m"}\n"\\ud800"\n'
        )
        found = samples_of(path.read_bytes(), path)
        assert [(source.id, source.text) for source in found] == [
            ("s1", "one\u2028more"),
            ("s2", "two"),
            ("s3", "\ufffd"),
        ]
        assert found[1].location == f"{path}:3"

    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ("{", "not valid JSON"),
            ("[" * 100_000, "not valid JSON"),
            ("9" * 5000, "not valid JSON|must be a JSON string"),
            ("7", "must be a JSON string"),
            ("null", "must be a JSON string"),
            ('["a"]', "must be a JSON string"),
            ('{"answer": "a"}', 'has no "text"'),
            ('{"text": null}', "must be a JSON string"),
            ('""', "the sample is empty"),
            ('{"text": " "}', "the sample is empty"),
        ],
    )
    def test_broken_lines_are_numbered(self, tmp_path: Path, line: str, why: str) -> None:
        path = _file(tmp_path, "s.jsonl", f'"one"\n\n{line}\n')
        with pytest.raises(BrokenLineError, match=rf"s\.jsonl, line 3: .*({why})"):
            samples_of(path.read_bytes(), path)


class TestPassages:
    def test_whole_sentences_together(self) -> None:
        text = "Ada was born in 1815. She wrote notes. She died in 1852."
        document = read(text)
        assert [text[a:b] for a, b in passages(document, words=9)] == [
            "Ada was born in 1815. She wrote notes.",
            "She died in 1852.",
        ]
        assert passages(document) == ((0, len(text)),)

    def test_long_sentences_are_cut_between_words(self) -> None:
        text = "one two three four five six seven."
        assert [text[a:b] for a, b in passages(read(text), words=3)] == [
            "one two three",
            "four five six",
            "seven.",
        ]

    @given(st.text(max_size=200), st.integers(1, 12))
    @settings(deadline=None)
    def test_they_are_ordered_and_hold_every_sentence(self, text: str, words: int) -> None:
        document = read(text)
        found = passages(document, words)
        position = 0
        for start, end in found:
            assert position <= start < end
            assert document.plain[start:end].strip()
            position = end
        covered = {at for start, end in found for at in range(start, end)}
        for start, end in document.sentences:
            for at in range(start, end):
                assert at in covered or document.text[at].isspace()
