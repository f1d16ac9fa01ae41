"""What a person sees on a terminal after each key: the bytes that the app writes, drawn by pyte."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.halubot_tui.canned import ANSWER, TEXT
from tests.halubot_tui.driving import PATIENCE
from tests.halubot_tui.on_terminal import canned, started

if TYPE_CHECKING:
    from pathlib import Path

    from tests.halubot_tui.on_terminal import Terminal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals"),
]

SIZES = [(60, 20), (80, 24), (120, 40), (200, 60)]
CASES = [(size, "256") for size in SIZES] + [((80, 24), "16"), ((80, 24), "none")]


def first_check(terminal: Terminal) -> None:
    """Paste a text and an answer, and check."""
    terminal.see("Paste a text to check", "commands", "2  Paste another answer, or type the path")
    terminal.paste(TEXT)
    terminal.see("Ada Lovelace was born in 1816")
    terminal.paste(ANSWER)
    terminal.see("1 answer")
    terminal.paste(ANSWER.replace("Her notes", "The notes"))
    terminal.see("2 answers")
    terminal.type("\r")
    terminal.see("4 in doubt", "use 1815")


@pytest.mark.parametrize(("size", "colours"), CASES, ids=str)
def test_every_state_shows_its_figures_without_another_key(
    tmp_path: Path, size: tuple[int, int], colours: str
) -> None:
    """Each row: a key, then what stands on the screen, and what does not any more."""
    file = tmp_path / "out.txt"
    steps: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
        ("", ("1816✗¹", "✗ 1", "2✗", "×2", "compared with: 2 answers", "^Q quit"), ("Paste what",)),
        ("n", ("Why 2 is contradicted", "use 1843"), ("Why 1",)),
        ("p", ("Why 1 is contradicted", "use 1815"), ("Why 2",)),
        ("\r", ("1815 (was 1816)", "1816→1815", "3 in doubt", "1 done", "Why 2"), ("Why 1",)),
        ("k", ("2 in doubt", "2 done", "= 2", "Why 3"), ("Why 2",)),
        ("u", ("3 in doubt", "✗ 2"), ("= 2",)),
        ("e", ("Esc cancel",), ()),
        ("\x1b", ("use 18",), ("Esc cancel",)),
        ("c", ("Checked again (before): 3 in doubt", "2 supported"), ("1 done",)),
        ("u", ("1815 (was 1816)", "1 done"), ("Checked again",)),
        ("s", ("the corrected text", "corrected.txt"), ()),
        ("\x15", (), ("corrected.txt",)),
        (str(file), ("out.txt",), ()),
        ("\r", ("Saved",), ()),
        ("/", ("Search for commands",), ()),
        ("\x1b", ("use 18",), ("Search for commands",)),
        ("?", ("the next fact",), ()),
        ("\x1b", ("use 18",), ("the next fact",)),
    ]
    with canned(tmp_path / "state", size, colours) as terminal:
        first_check(terminal)
        for key, there, gone in steps:
            if key:
                terminal.type(key)
            terminal.see(*there, gone=gone)
        marks = terminal.colours_of("✗¹") | terminal.colours_of("→1815")
        hues = {one for one in marks if len({one[:2], one[2:4], one[4:]}) > 1}
        assert bool(hues - {"default"}) == (colours != "none")
    assert file.read_text(encoding="utf-8") == TEXT.replace("1816", "1815") + "\n"


def test_the_list_of_facts_repaints_when_a_check_ends_and_follows_n(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with canned(tmp_path / "state", (120, 40), gate=str(gate)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste(TEXT)
        terminal.see("Ada Lovelace was born")
        terminal.paste(ANSWER)
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("5 being checked", "Facts  0/5 judged", "comparing 5 facts, ", " s", "^C stop")
        assert "n/p" not in terminal.text  # there is nothing to go to yet
        gate.write_text("", encoding="utf-8")
        terminal.see(
            "4 in doubt", "▸ 1 supported", "✗ 1", gone=("being checked", "judged", "^C stop")
        )
        terminal.type("n")
        terminal.see("Why 2 is contradicted")
        terminal.type("nn")
        terminal.see("Why 4 is doubtful")


def test_facts_light_up_one_by_one_with_the_time_left(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with canned(tmp_path / "state", (120, 40), gate=str(gate)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste(f"{TEXT} " * 24)
        terminal.see("[text 1: ")
        terminal.paste(ANSWER)
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("120 being checked", "Facts  0/120 judged")
        for judged, there in ((1, "✗ Ada"), (4, "▸ 1 supported"), (9, " s left")):
            new = tmp_path / "new"
            new.write_text(str(judged), encoding="utf-8")
            new.replace(gate)
            terminal.see(f"checking {judged}/120", f"{judged}/120 judged", there)
            terminal.see(f"{120 - judged} being checked")
        gate.write_text("", encoding="utf-8")
        terminal.see("96 in doubt", "▌✗ 1 ", gone=("judged", " s left", "being checked"))


def test_keys_that_come_faster_than_they_are_handled_reach_what_they_are_for(
    tmp_path: Path,
) -> None:
    """All in one write, as a slow line delivers it: nothing is lost or ends up elsewhere."""
    file = tmp_path / "out.txt"
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Paste a text to check")
        pastes = [f"\x1b[200~{one}\x1b[201~" for one in (TEXT, ANSWER)]
        terminal.type(f"{pastes[0]}\r{pastes[1]}\r\r")
        terminal.see("4 in doubt", "use 1815")
        terminal.type("e\x1b[F\x1b[D, Englands\x7f\x1b[F Really.\rn\r")
        terminal.see("London, England.", "Really. Her", "1872→1871", "2 in doubt")
        terminal.type(f"us\x15{file}\r")
        terminal.see("Saved: out.txt in")
    expected = TEXT.replace("London.", "London, England. Really.")
    assert file.read_text(encoding="utf-8") == expected + "\n"


def test_n_visits_every_fact_that_is_left_and_none_that_is_done(tmp_path: Path) -> None:
    """Those in doubt, then the undecided ones; each is the one that is explained and counted."""
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste(f"{TEXT} The moon has 3 rings. Stars are cold.")
        terminal.see("› Ada Lovelace")
        terminal.paste(f"{ANSWER} The moon has 5 rings.")
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("4 in doubt · 2 undecided", "use 1815", "n/p fact 1/4")
        terminal.type("\r\r\r")
        terminal.see("1 in doubt", "Why 4 is doubtful", "n/p fact 4/4", gone=("Stars are cold  ",))
        terminal.type("k")
        terminal.see("! 2 undecided to read, 1 first (n): c checks again, s saves.")
        terminal.see("1 undecided, to read first:", "1 more undecided in 1 sentence")
        terminal.see("Why it is undecided", "“The moon has 5 rings.”", gone=("Nothing in doubt",))
        terminal.see("sentence 1/2", "⏎ use 5  e edit", "halubot cannot tell. Nearest")
        terminal.type("n")
        terminal.see("found no sentence of the sources", "sentence 2/2", "first · 1 read:")
        terminal.see("All 2 undecided facts are read: c checks again, s saves.")
        terminal.type("p")
        terminal.see("“The moon has 5 rings.”", "sentence 1/2")
        terminal.type("e")
        terminal.see("Tab use 5", "typing replaces “3”")
        terminal.type("\t\r")
        terminal.see("3→5", "The undecided fact is read: c checks", "sentence 1/2", "5 (was 3)")
        terminal.type("n")
        terminal.see("found no sentence of the sources", "sentence 2/2", " done:")
        terminal.type("k")
        terminal.see("Nothing is left to look at: c checks again", "0 undecided · 1 done")
        terminal.type("n")
        terminal.see("Nothing is left to look at")


def test_tab_puts_in_a_sentence_of_the_sources_where_no_word_is_offered(tmp_path: Path) -> None:
    """Nothing is selected then: a right word would be typed over."""
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste("The mill stopped because flour was cheap. It was cold.")
        terminal.see("› The mill")
        terminal.paste("Milling ended when the shaft of the mill broke.")
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("2 undecided in 2 sentences", "Nearest quotes", "sentence 1/2")
        terminal.type("e")
        terminal.see(
            "nothing is marked: type, or Tab",
            "Tab the source's sentence",
            gone=("typing replaces",),
        )
        terminal.type("\t")
        terminal.see("│ Milling ended when the shaft of", "Tab the sentence as it was")
        terminal.type("\r")
        terminal.see("flour was cheap→Milling ended", "when the shaft of the mill broke. It")


def test_a_full_stop_that_is_there_is_not_typed_twice(tmp_path: Path) -> None:
    with canned(tmp_path / "state", (80, 24)) as terminal:
        check(terminal, "Moss is blue. Mud is dear.", "Moss is green.", "⏎ edit", "sentence 1/2")
        terminal.type("e\x17green.\r")
        terminal.see("blue→green. Mud", "sentence 2/2", gone=("green..",))
        terminal.type("e\x15Mud is brown.\r")
        terminal.see("dear→brown.", "2 done")
        terminal.type(f"s\x15{tmp_path}/out.txt\r")
        terminal.see("Saved: out.txt in")
    assert (tmp_path / "out.txt").read_text() == "Moss is green. Mud is brown.\n"


def test_a_correction_goes_on_to_the_open_doubt_and_n_and_p_are_inverse(tmp_path: Path) -> None:
    """A doubt that was passed over is told of, and n goes round to it."""
    with canned(tmp_path / "state", (80, 24)) as terminal:
        text = f"{TEXT} Stars are cold."
        check(terminal, text, ANSWER, "4 in doubt · 1 undecided", "use 1815", "fact 1/4")
        terminal.type("n")
        terminal.see("Why 2 is", "fact 2/4")
        terminal.type("\r")  # on to those behind it, then to the one before
        terminal.see("Why 3 is", "fact 3/4")
        terminal.type("\rk")
        terminal.see("Why 1 is", "1 in doubt", "fact 1/4", gone=("Round", "still in doubt"))
        for key, where, told in (
            ("n", "sentence 1/1", "! 1 still in doubt, above in the list: p goes back."),
            ("p", "fact 1/4", "Why 1 is"),
            ("p", "sentence 1/1", "Round to the last one."),
            ("n", "fact 1/4", "Round to the first one."),
        ):
            terminal.type(key)
            terminal.see(where, told, gone=("last one: p",))
        terminal.type("n")
        terminal.see("sentence 1/1")
        terminal.type("k")
        terminal.see("Why 1 is", "fact 1/4", gone=("still in doubt",))


def test_a_correction_has_the_blanks_of_the_text_and_no_double_one(tmp_path: Path) -> None:
    text, told = "Moss is very blue indeed. Mud is dear.", "Moss is a plant."
    with canned(tmp_path / "state", (120, 40)) as terminal:
        check(terminal, text, told, "⏎ edit", "sentence 1/2")
        terminal.type("e\x1b[H" + "\x1b[1;5C" * 4 + "\x17green \r")
        terminal.see("very blue→green indeed.", "green (was blue)", gone=("greenindeed",))
        terminal.type("\x1b[A")
        terminal.see("▌→ green")
        terminal.type("e\x1b[H" + "\x1b[1;5C" * 3 + "\x17\r")
        terminal.see("Moss is very blue→green indeed.")
        terminal.type(f"s\x15{tmp_path}/out.txt\r")
        terminal.see("Saved: out.txt in")
        terminal.type("uue\x1b[HAll \r")
        terminal.see("M→All Moss is very blue indeed.")
    assert (tmp_path / "out.txt").read_text() == "Moss is green indeed. Mud is dear.\n"


def test_the_word_of_a_source_is_taken_where_enter_does_not_offer_it(tmp_path: Path) -> None:
    """With the engine: nothing says that there is no value, below a quote that has it."""
    draft, known = tmp_path / "draft.txt", tmp_path / "known.txt"
    draft.write_text("Dogs are allowed in the garden.", encoding="utf-8")
    known.write_text("House rules: dogs are forbidden in the garden.", encoding="utf-8")
    command = ("halubot", "tui", str(draft), "--reference", str(known))
    with started(tmp_path / "state", *command, size=(80, 24)) as (_, terminal):
        terminal.see("The reference says forbidden", "⏎ edit", gone=("no value", "looking for"))
        terminal.type("\r")
        terminal.see("Tab use forbidden", "typing replaces “allowed”")
        terminal.type("\t\r")
        terminal.see("allowed→forbidden in the", "Nothing is left to look at")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
def test_a_word_of_an_undecided_sentence_is_gone_to_by_one_key(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """Of several words that no quote has none is marked: Shift+Tab goes to these first."""
    told = "The hump stores fat. The camel walks for days."
    with canned(tmp_path / "state", size) as terminal:
        text = "The hump stores water; it sings and hums. Clouds drift over deserts."
        check(terminal, text, told, "⏎ edit", "sentence 1/2")
        terminal.type("e")
        terminal.see("Shift+Tab next word", "Esc cancel", gone=("typing replaces",))
        terminal.type("\x1b[Z")
        terminal.see("typing replaces “water”")
        terminal.type("fat\r")
        terminal.see("water→fat;", "sentence 2/2")
        terminal.type("e")
        terminal.see("Shift+Tab next word", gone=("typing replaces",))
        terminal.type("\x1b[Z\x1b[Z\x1b[Z")  # past "over", which says nothing
        terminal.see("typing replaces “deserts”")
        terminal.type("seas\r")
        terminal.see("deserts→seas.", "Clouds drift over")


def test_the_undecided_facts_of_a_sentence_are_gone_through_together(tmp_path: Path) -> None:
    """A key for each sentence; an edit goes on to the next one, and u takes a k back as a whole."""
    with canned(tmp_path / "state", (80, 24)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste(
            "Stars are cold; some are dim. Moss is blue; it flies. Mud is dear; it sings."
        )
        terminal.see("› Stars")
        terminal.paste("Herons wade. Moss is a plant.")
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("6 undecided in 3 sentences", "sentence 1/3", "○ some are dim", "keep all 2")
        terminal.see("found no sentence of the", "e edit", "k keep")
        terminal.type("n")
        terminal.see("sentence 2/3", "○ it flies", "“Moss is a plant.”", gone=("Nothing in the",))
        terminal.type("k")
        terminal.see("4 undecided · 2 read", "sentence 3/3", "○ it sings")
        terminal.type("u")
        terminal.see("6 undecided · 2 read", "sentence 2/3", "○ it flies")
        terminal.type("e\x15Moss is green.\r")
        terminal.see("→green", "sentence 3/3", "○ it sings", "· 2 read · 1 done", "c check")


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)], ids=str)
def test_n_goes_on_at_once_where_all_of_a_sentence_is_in_sight(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """Its facts stand in the list, and what stands there is not repeated below; of long quotes the
    list of a low window gives rows away, and the keys say that there is more."""
    quotes = (
        "Stars are balls of gas that shine for millions of years before it is all burned.",
        "Some stars, among them those that are seen best in winter, were given names by sailors.",
    )
    with canned(tmp_path / "state", size) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste("Stars hum; some sing; they are dim; they are far; they turn. Mud is dear.")
        terminal.see("› Stars")
        terminal.paste(f"Herons wade. {' '.join(quotes)}")
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("Why these 5 are undecided", "6 undecided", gone=("1·",))
        if size == (60, 20):
            terminal.see("n/p more below")
            terminal.type("n")
        terminal.see("by sailors.”", "k keep all 5", "n/p sentence 1/2", gone=("more below",))
        terminal.type("n")
        terminal.see("n/p sentence 2/2", "▌· Mud is dear", "Why it is undecided")


@pytest.mark.parametrize(
    ("text", "told", "words"),
    [
        (
            "In 1941 a flood destroyed the wing.",
            "The wing was destroyed by a fire in 1941.",
            "flood",
        ),
        ("It has 9 books and opens on Monday.", "On Monday it is closed. It has 9 books.", "opens"),
        ("A botanist described it in 1844.", "In 1844 a zoologist gave it a name.", ""),
        ("It was shown in Leeds by Ada King.", "At York: King shows it.", "Leeds"),
    ],
)
def test_e_selects_the_only_words_that_no_quote_has(
    tmp_path: Path, text: str, told: str, words: str
) -> None:
    """Not a right number of the sentence, and none of several words: typing would destroy them."""
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste(text)
        terminal.see(f"› {text[:9]}")
        terminal.paste(told)
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("Why it is undecided", "⏎ edit", "Nearest quotes")
        terminal.type("\r")
        marked = f"typing replaces “{words}”" if words else "nothing is marked: type, or Tab"
        terminal.see("Esc cancel", marked)
        terminal.type("X")
        terminal.see(f"│ {text.replace(words, 'X') if words else text.replace('.', 'X.')}")


@pytest.mark.parametrize(("keys", "taken"), [("e\t\r", True), ("e5\r", False)])
def test_a_value_taken_from_a_source_is_shown_with_its_quote_after_checking_again(
    tmp_path: Path, keys: str, taken: bool
) -> None:
    """What the engine cannot tell of it is no ring without a word; and all figures are told. What
    was typed was not taken from a source."""
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste(f"{TEXT} The moon has 3 rings.")
        terminal.see("› Ada Lovelace")
        terminal.paste(f"{ANSWER} They say that the moon has 5 rings.")
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("4 in doubt · 1 undecided", "use 1815")
        terminal.type("\r\r\rk")
        terminal.see("Why it is undecided", "“They say that the moon has 5 rings.”")
        terminal.type(keys)
        terminal.see("3→5")
        terminal.type("c")
        if not taken:
            terminal.see("0 in doubt (4), 1 undecided (1)", "supported (1), 1 done")
            return
        terminal.see("0 in doubt (4), 0 undecided (1)", "supported (1), 2 done", "1 done")
        terminal.type("\x1b[B")
        terminal.see("⏎ unfold")
        terminal.type("\r\x1b[B")
        terminal.see("5 (was 3)", "Answer 1 says:", "“They say that the moon has 5 rings.”")


@pytest.mark.parametrize("newline", ["", "\n", "\r\n"], ids=["none", "LF", "CRLF"])
def test_a_watched_file_is_named_checked_again_and_its_deletion_told(
    tmp_path: Path, newline: str
) -> None:
    """What was accepted before the file changed stays accepted."""
    file, known = tmp_path / "draft.md", tmp_path / "known.txt"
    file.write_bytes((TEXT + newline).encode())
    known.write_text(ANSWER, encoding="utf-8")
    size, given = (120, 40), [str(known)]
    with canned(tmp_path / "state", size, file=str(file), watch=True, references=given) as terminal:
        terminal.see("watching draft.md", "4 in doubt", "use 1815")
        terminal.type("\r")
        terminal.see("1815 (was 1816)", "3 in doubt")
        file.write_bytes((TEXT.replace("1872", "1871") + newline).encode())
        terminal.see("2 supported", "2 in doubt", "1815 (was 1816)")
        file.unlink()
        terminal.see("watching draft.md (deleted)", "⚠ 1 note")


def test_keys_that_terminals_share_mean_what_they_mean_elsewhere(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with canned(tmp_path / "state", (100, 30), gate=str(gate)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste(TEXT)
        terminal.see("Ada Lovelace was born")
        terminal.paste(ANSWER)
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("5 being checked")
        terminal.type("\x03")
        terminal.see("Stopped. c checks it again.")
        terminal.type("\x03\x03")
        terminal.see("Quit halubot?")
        terminal.type("\x1b")
        terminal.see("Stopped.", gone=("Quit halubot?",))
        terminal.type("\x12")  # Ctrl+R
        terminal.see("Sessions", "search all sessions", "open · ")


def test_nothing_is_left_of_the_graph_and_of_keys_that_meant_two_things(tmp_path: Path) -> None:
    functions = "".join(
        f"\x1b{code}" for code in ("OQ", "OR", "OS", "[15~", "[17~", "[18~", "[19~")
    )
    with canned(tmp_path / "state", (100, 30)) as terminal:
        first_check(terminal)
        terminal.type(f"{functions}aAgdqhn")
        terminal.see("Why 2 is contradicted", "4 in doubt", gone=("done", "raph"))
        for one in ("graph", "compare methods"):
            terminal.type("/")
            terminal.see("Search for commands")
            terminal.type(one)
            terminal.see("No matches found")
            terminal.type("\x1b")
            terminal.see(gone=("No matches found",))


def test_a_silent_source_says_nothing_of_the_fact(tmp_path: Path) -> None:
    """With the engine: a source that has another value is never counted as silent."""
    draft = tmp_path / "draft.txt"
    draft.write_text("The Kellan Bridge was opened in 1931.", encoding="utf-8")
    given = ["The Kellan Bridge was opened in 1900.", "Herons nest on the lake in spring."]
    others = [tmp_path / f"{n}.txt" for n in range(3)]
    for file, words in zip(others, (given[0], *given), strict=True):
        file.write_text(words, encoding="utf-8")
    references = [part for file in others for part in ("--reference", str(file))]
    command = ("halubot", "tui", str(draft), *references)
    with started(tmp_path / "state", *command, size=(120, 40)) as (_, terminal):
        terminal.see("1931✗¹", "Why 1 is contradicted: 2✗ sources", "use 1900", "×2")
        assert "Herons" not in terminal.text
        terminal.type("\x11")  # Ctrl+Q
        terminal.see("“The Kellan Bridge was opened in 1931.” is stored: halubot, then Ctrl+R")


def test_a_clause_that_is_misread_is_shown_in_the_words_of_the_text(tmp_path: Path) -> None:
    """With the engine. A decade is not offered for a year, though a source has one beside it."""
    draft, known = tmp_path / "draft.txt", tmp_path / "known.txt"
    text = "In 1776 Frederick the Great ordered the farmers of Prussia to plant it."
    draft.write_text(f"{text} John Dunlop patented an air-filled tyre in 1878.", encoding="utf-8")
    told = "Frederick's order to the farmers of Prussia is from 1756."
    others = "Air tyres sold well from the 1890s. The patent is from 1888."
    known.write_text(f"{told} {others}", encoding="utf-8")
    command = ("halubot", "tui", str(draft), "--reference", str(known))
    with started(tmp_path / "state", *command, size=(120, 40)) as (_, terminal):
        terminal.see("1776 Frederick the Great ordered", "e edit", gone=("Great ordered farm",))
        terminal.type("n")
        terminal.see("“The patent is from 1888.”", gone=("use 1890s",))


def test_the_words_that_are_marked_are_those_that_typing_replaces(tmp_path: Path) -> None:
    """A sentence that was changed by hand is not in doubt any more, whichever words were."""
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste("Dogs may run freely on all the paths.")
        terminal.see("› Dogs")
        terminal.paste(ANSWER)
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("1 in doubt", "e edit", gone=("no value found",))
        assert terminal.reversed_words() == "freely on all the paths"
        terminal.type("eonly on a lead\r")
        terminal.see("Dogs may run freely on all the paths→only on a lead.", "0 in doubt")
        terminal.type("ue\x1b[HOur d\x1b[3~\r")
        terminal.see("Dogs→Our dogs may", "0 in doubt", "1 done")


def test_what_was_read_stays_read_and_the_counts_add_up(tmp_path: Path) -> None:
    """Also after checking again, but for sentences that changed; the way on is a line of its own,
    below the text."""
    with canned(tmp_path / "state", (80, 24)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste("Stars are cold. Moss is blue. Mud is dear. Ada was born in 1816.")
        terminal.see("› Stars")
        terminal.paste("Herons wade. Ada was born in 1815.")
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("1 in doubt · 3 undecided", "⏎ use 1815")
        terminal.type("\r")
        terminal.see("! 3 undecided to read (n): c checks again, s saves.", "sentence 1/3")
        assert len([one for one in terminal.lines if "undecided to read" in one]) == 1
        terminal.type("n")
        terminal.see("! 2 of 3 undecided to read (n)", "3 undecided · 1 read")
        terminal.type("n")  # what is looked at last needs no other key
        terminal.see("All 3 undecided facts are read: c checks again, s saves.")
        terminal.see("0 in doubt · 3 undecided", "· Moss is blue", "sentence 3/3")
        terminal.type("c")
        terminal.see("Checked again (before): 0 in doubt", "1 supported (0)", "· Moss is")
        terminal.see("All 3 undecided facts are read: s saves.")
        terminal.type("s")
        terminal.see("corrected.txt")
        terminal.type(f"\x15{tmp_path}/out.txt\r")
        terminal.see("Saved: out.txt in", gone=("Checked again",))


def check(terminal: Terminal, text: str, answer: str, *there: str) -> None:
    """Check a text with one answer, and see what stands there then."""
    terminal.see("Paste a text to check")
    terminal.paste(text)
    terminal.see("+ sources: none yet", f"› {text[:5]}")
    terminal.paste(answer)
    terminal.see("1 answer")
    terminal.type("\r")
    terminal.see(*there)


def test_each_fact_of_a_sentence_stands_above_its_own_quotes(tmp_path: Path) -> None:
    """The word that a quote contradicts is marked, and the word of the quote offered."""
    told = ("✗ “The ash lowered", "⏎ use lowered", "○ skies were red  1✓", "✓ “skies")
    with canned(tmp_path / "state", (120, 40)) as terminal:
        text = "The ash raised the heat; skies were red. Mud is dear."
        answer = "The ash lowered the heat. skies were red. Herons wade."
        check(terminal, text, answer, "to read first", "1 source may say otherwise: compare", *told)
        rows = [next(n for n, it in enumerate(terminal.lines) if one in it) for one in told]
        assert rows == sorted(rows)
        terminal.type("e")
        terminal.see("Tab use lowered", "Esc cancel")
        assert terminal.reversed_words() == "raised"
        terminal.type("\x1b")
        terminal.see("⏎ use lowered", gone=("Esc cancel",))
        terminal.type("\r")  # the other fact of the sentence is read with it
        terminal.see("raised→lowered", "Mud is dear", "1 read", "1 done", "sentence 2/2")


def test_words_or_a_sentence_of_a_source_take_the_place_of_what_it_contradicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the verifier: Enter offers a sentence, Tab its words; no quote beside the one that
    settles it speaks of something else."""
    monkeypatch.delenv("HALUBOT_VERIFIER", raising=False)
    draft, known = tmp_path / "draft.txt", tmp_path / "known.txt"
    text = "Dogs are welcome in the hut. The hut below the summit was built in 1902 by the army."
    draft.write_text(text, encoding="utf-8")
    built = "The hut below the summit was built in 1902 by the Varn Alpine Club and burned down."
    known.write_text(f"{built} Dogs are not allowed in the hut.", encoding="utf-8")
    command = ("halubot", "tui", str(draft), "--reference", str(known))
    keys = (
        "⏎ accept  Tab use not allowed  Shift+Tab next word  Esc cancel  ^U empty  ^W a word back"
    )
    with started(tmp_path / "state", *command, size=(110, 34)) as (_, terminal):
        terminal.see("2 in doubt", "⏎ use the source's sentence  ", gone=("“The hut below",))
        terminal.type("e")
        terminal.see("typing replaces “welcome”", keys)
        marked = terminal.colours_of("welcome in the hut.  ", ground=True)
        assert marked & terminal.colours_of("not allowed")  # the colour of the doubt
        terminal.type("\x15")
        terminal.see("nothing is marked: type, or Tab", "Tab use not allowed", gone=("│ Dogs",))
        terminal.type("\t")
        terminal.see("│ Dogs are not allowed in the hut.", "Tab use welcome")
        terminal.type("\t\x1b")
        terminal.see("⏎ use the source's sentence", gone=("Esc cancel",))
        terminal.type("\r")
        terminal.see(
            "Dogs are welcome→not allowed in the hut", "not allowed (was welcome)", "1 done"
        )
        terminal.type("u")
        terminal.see("Taken back: welcome→not allowed.", "2 in doubt")
        terminal.type("\re")
        terminal.see("typing replaces “army”", "Tab use Varn Alpine Club")
        terminal.type("\t\r")
        terminal.see("Varn Alpine Club (was army)", "Nothing is left to look at")


def test_n_goes_to_what_was_not_read_and_tells_once_that_all_was(tmp_path: Path) -> None:
    with canned(tmp_path / "state", (80, 24)) as terminal:
        text = "Stars are cold. Moss is blue. Mud is dear. Larks sing."
        check(
            terminal,
            text,
            "Herons wade. Otters swim by.",
            "4 undecided in 4 sentences",
            "sentence 1/4",
        )
        terminal.type("n")
        terminal.see("4 undecided · 1 read", "sentence 2/4")
        terminal.type("n")
        terminal.see("· 2 read", "sentence 3/4")
        terminal.type("pp")
        terminal.see("sentence 1/4")
        terminal.type("n")  # the second was read
        terminal.see("sentence 3/4")
        terminal.type("n")
        terminal.see("sentence 4/4", "4 read")
        terminal.type("n")
        terminal.see("sentence 1/4", "All are read. Round to the first one.")
        terminal.type("n")
        terminal.see("sentence 2/4")


def test_of_several_facts_of_a_sentence_none_stands_for_the_others(tmp_path: Path) -> None:
    with canned(tmp_path / "state", (120, 40)) as terminal:
        text = "Stars are cold; some are dim. Mud is dear."
        told = "Herons wade. Otters swim by."
        check(terminal, text, told, "Why these 2 are", "▏ Stars are cold; some are dim.")
        terminal.type("n")
        terminal.see("Why it is undecided", gone=("▏ Stars are cold;",))


@pytest.mark.parametrize(
    ("key", "there"), [("?", "the next fact"), ("w", "it is right"), ("+", "Compared with")]
)
def test_the_screen_is_whole_once_a_dialog_is_closed(tmp_path: Path, key: str, there: str) -> None:
    """Also the first dialog of all, which is whole itself."""
    with canned(tmp_path / "state", (80, 24)) as terminal:
        first_check(terminal)
        panes = ("─Text─", "in 1872✗³", "? 4 She died", "▸ 1 supported", "Why 1 is", "“Ada ")
        rest = ("use 1815", "compared with: 2 answers", "n/p fact 1/4", "? help")
        terminal.see(*panes, *rest)
        terminal.type(key)
        terminal.see(there, "close" if key != "w" else "cancel", gone=panes)
        terminal.type("\x1b")
        terminal.see(*panes, *rest, gone=(there,))


def test_the_quote_with_most_of_the_words_of_a_fact_comes_first(tmp_path: Path) -> None:
    """Whichever stands first in the source."""
    told = ("“Babbage kept the blue engine in a shed.”", "“The engine was dear.”")
    with canned(tmp_path / "state", (120, 40)) as terminal:
        answer = "The engine was dear. Herons wade. Babbage kept the blue engine in a shed."
        text = "Babbage kept the blue engine in a cellar."
        check(terminal, text, answer, "Why it is undecided", "Nearest quotes", *told)
        rows = [next(n for n, it in enumerate(terminal.lines) if one in it) for one in told]
        assert rows == sorted(rows)


@pytest.mark.parametrize(("size", "most"), [((80, 24), 3000), ((200, 60), 6000)], ids=str)
def test_a_move_of_the_focus_draws_no_pane(
    tmp_path: Path, size: tuple[int, int], most: int
) -> None:
    """Only the headings and the line of keys."""
    draft, told = tmp_path / "draft.txt", tmp_path / "told.txt"
    draft.write_text(TEXT, encoding="utf-8")
    told.write_text(ANSWER, encoding="utf-8")
    with canned(tmp_path / "state", size, file=str(draft), references=[str(told)]) as terminal:
        terminal.see("4 in doubt", "use 1815")
        facts, why = terminal.colours_of("Facts  "), terminal.colours_of("Why 1")
        assert facts != why
        taken: list[int] = []
        for _ in range(6):  # what comes after a check is drawn meanwhile
            before = terminal.written
            for key, lit, dark in (("\t", "Why 1", "Facts  "), ("\x1b[Z", "Facts  ", "Why 1")):
                terminal.type(key)
                terminal.see_colours({lit: facts, dark: why})
            taken.append(terminal.written - before)
        assert min(taken) < most, taken


def test_in_a_low_terminal_what_was_checked_again_is_told_and_dialogs_stand_alone(
    tmp_path: Path,
) -> None:
    with canned(tmp_path / "state", (80, 24)) as terminal:
        text = " ".join(f"Mud number {n} is dear." for n in range(30))
        text += " Ada was born in 1816. She died in Paris."
        check(terminal, text, "Ada was born in 1815.", "use 1815")
        terminal.type("\rc")
        terminal.see("Checked again (before): 1 in doubt (2)", "Why 1 is doubtful", "Paris")
        terminal.type("k")
        terminal.see("0 in doubt", gone=("Checked again",))
        terminal.type("+")
        terminal.see("Compare with", "Esc close", gone=("Mud", "undecided"))


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
def test_the_quote_with_the_offered_value_is_in_sight(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """Though others have more words of the sentence; then it is no question whether one says so."""
    other = "Members who pay for a year may help and pay less."
    with canned(tmp_path / "state", size) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste("Members pay 95 euros a year.")
        terminal.see("› Members")
        terminal.paste(f"{other} The fee is 85 euros a year.")
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("“The fee is 85 euros a year.”", "⏎ use 85 euros", gone=("if a quote",))


def test_words_in_doubt_stand_out_without_colours_and_can_be_read_where_they_are_chosen(
    tmp_path: Path,
) -> None:
    with canned(tmp_path / "state", (120, 40), "none") as terminal:
        first_check(terminal)
        light, *strong = terminal.looks("1872✗")
        assert strong == [True, True]
        assert light >= terminal.looks("Babbage died")[0]
    with canned(tmp_path / "few", (120, 40), "16", theme="halubot-light") as terminal:
        first_check(terminal)
        rows = [terminal.colours_of(one, ground=True) for one in ("✗ 1 Ada", "✗ 2 Her")]
        assert rows[0] == rows[1]  # the grey next to it is as light as the red
        terminal.type("+")
        terminal.see("Web and knowledge bases")
        words = "Web and knowledge bases"
        assert terminal.colours_of(words) != terminal.colours_of(words, ground=True)
    with canned(tmp_path / "other", (120, 40)) as terminal:
        first_check(terminal)
        assert terminal.contrast_of("▌✗ 1 Ada Lovelace was born in 1816") >= 4.5
        assert terminal.contrast_of("2✗") >= 4.5
        terminal.type("\x12")
        terminal.see("open · 4 in doubt")
        assert terminal.contrast_of("open · 4 in doubt") >= 4.5


def test_the_sessions_and_the_example(tmp_path: Path) -> None:
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Open the example", "^P commands")
        terminal.type("\x10")  # Ctrl+P
        terminal.see("Search for commands")
        terminal.type("example\r")
        terminal.see("Example", "Facts")
        terminal.paste(TEXT)
        terminal.see("› Ada Lovelace")
        terminal.paste(ANSWER)
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("4 in doubt", "use 1815")
        terminal.type("\x12")
        terminal.see(
            "Example", "open · 4 in doubt", "▌ Ada Lovelace", "⏎ open", "F2 rename", "Esc close"
        )
        terminal.type("\x1b[B")
        terminal.see("▌ Example", gone=("▌ Ada Lovelace",))
        terminal.type("\x1b[A")
        terminal.see("▌ Ada Lovelace")
        terminal.type("\x1b[3~")
        terminal.see("Deleted; ^Z brings it back")
        terminal.type("\x1a")
        terminal.see("4 in doubt")
        terminal.type("rhubarb")  # letters are no commands
        terminal.see("Nothing is found.", "rhubarb", gone=("New name",))


def test_the_dialog_of_sources_goes_on_with_the_check_and_loses_nothing(tmp_path: Path) -> None:
    """A paste reaches the field wherever the focus is; on top of a pasted text it adds that one."""
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste(TEXT)
        terminal.see("› Ada Lovelace")
        terminal.type("\r")
        terminal.see("Now add what it is to be compared with.", "⏎ check")
        terminal.type("./nosuch.txt\r")
        terminal.see("There is no file ./nosuch.txt.")
        terminal.type("\x15")
        terminal.see("⏎ check", gone=("There is no file",))
        terminal.type("\x1b[Z")  # Shift+Tab: the tabs
        terminal.see(gone=("⏎ check  Tab next",))
        terminal.paste(ANSWER)
        terminal.see("Her notes were printed in 1843", "⏎ add")
        terminal.type("\x1b")
        terminal.see("+ sources: none yet", gone=("Compare with",))
        terminal.type("\r")
        terminal.see("Her notes were printed in 1843", "⏎ add")
        terminal.type("\r")
        terminal.see("Compared with 1 answer", "⏎ check")
        terminal.paste(ANSWER.replace("Her notes", "The notes"))
        terminal.see("The notes were")
        terminal.paste(ANSWER.replace("Her notes", "His notes"))
        terminal.see("Compared with 2 answers", "His notes")
        terminal.type("\r")
        terminal.see("Compared with 3 answers", "⏎ check")
        terminal.type("\r")
        terminal.see("4 in doubt", "use 1815", "compared with: 3 answers", gone=("Compare with",))


def test_the_web_is_switched_on_and_who_receives_what_is_told(tmp_path: Path) -> None:
    gate = str(tmp_path / "gate")
    receives = "Wikipedia (en.wikipedia.org) receives up to 6"
    with canned(tmp_path / "state", (120, 40), web=["wikipedia"], gate=gate) as terminal:
        terminal.see(f"Web: {receives}", "Paste a text to check", gone=("Paste what to compare",))
        terminal.paste(TEXT)
        terminal.see("› Ada Lovelace")
        terminal.type("\r")
        terminal.see("5 being checked", f"Web: {receives}", "compared with: web (wikipedia)")
    with canned(tmp_path / "other", (120, 40), gate=gate) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste(TEXT)
        terminal.see("› Ada Lovelace")
        terminal.type("\t")
        terminal.type("\r")
        terminal.see("Nothing to compare with yet")
        terminal.type("\x1b[Z")
        terminal.see(gone=("⏎ check  Tab next",))
        terminal.type("\x1b[C")
        terminal.see("☐ web: wikipedia", "en.wikipedia.org")
        terminal.type("\t")
        terminal.see("Space on or off", "⏎ use")
        terminal.type(" ")
        terminal.see("☑ web: wikipedia", "Compared with web (wikipedia)", "the text itself is not")
        terminal.type("\r")
        terminal.see("5 being checked", f"Web: {receives}", gone=("Compare with",))


def test_sentences_are_marked_while_the_answer_is_written(tmp_path: Path) -> None:
    size, gate = (120, 40), tmp_path / "gate"
    with canned(tmp_path / "state", size, gate=str(gate), model="ollama_chat/x") as terminal:
        terminal.see("Ask, or paste a text")
        terminal.type("Who was Ada Lovelace?\r")
        terminal.see("London.✗", "Byron.✓", "Why it is contradicted", gone=("being checked",))
        gate.write_text("", encoding="utf-8")
        terminal.see("1816✗¹", "4 in doubt", gone=("Byron.✓",))


def test_why_nothing_was_found_on_the_web_stands_where_verdicts_are_explained(
    tmp_path: Path,
) -> None:
    notes = [("nothing was looked up", "duckduckgo cannot be reached: no network")]
    with canned(tmp_path / "state", (80, 24), web=["duckduckgo"], notes=notes) as terminal:
        terminal.see("Paste a text to check")
        terminal.type("Ada was born in London. She was a countess.\r")
        terminal.see("2 not checked", "Why it was not checked", "cannot be", gone=("0 in doubt",))
        terminal.type("n")
        terminal.see("Why it was not checked", "duckduckgo", "cannot be", "▌· She was")


def test_sessions_are_told_apart_and_say_why_a_text_was_refused(tmp_path: Path) -> None:
    refused = TEXT.replace("She died in Paris.", "The Domesday book was hers.")
    told = "Domesday is too long: cut it into parts"
    with canned(tmp_path / "state", (120, 40)) as terminal:
        first_check(terminal)
        terminal.type("\x0e")  # Ctrl+N
        terminal.see("Enter once more checks it")
        terminal.paste(refused)
        terminal.see("› Ada Lovelace")
        terminal.paste(ANSWER)
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see(told, "not checked")
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Paste a text to check")
        terminal.type("\x12")
        terminal.see("…She died in Paris.", "…The Domesday book", "4 in doubt", "not checked")
        terminal.type("\r")
        terminal.see(told, gone=("Stopped", "in doubt"))
        terminal.type("s")  # the keys are those of the facts
        terminal.see("the text (nothing is changed)", "a report, JSON")


def test_keys_do_in_the_explanation_what_they_do_in_the_list(tmp_path: Path) -> None:
    """Esc goes back to it."""
    with canned(tmp_path / "state", (80, 24)) as terminal:
        first_check(terminal)
        terminal.type("\t")
        terminal.see("Esc facts", "⏎ use 1815", "answers 1 and 2")
        terminal.type("\x1b")
        terminal.see(gone=("Esc facts",))
        terminal.type("\t\r")
        terminal.see("1815 (was 1816)", "3 in doubt")


def test_changes_are_drawn_whole_and_undo_says_which_it_takes_back(tmp_path: Path) -> None:
    """One after the other the message tells of; beside a fact that was kept u says so too."""
    text = "It is 8,949 metres high.\n\nLake Nicaragua is long, Tim said.\n\nMoss is cold."
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste(text)
        terminal.see("› It is 8,949")
        terminal.paste("They say that it rises to 8,849 metres.")
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("1 undecided, to read first:", "⏎ use 8,849 metres")
        terminal.type("\r")
        terminal.see("8,949 metres→8,849 metres high", "8,849 metres (was 8,949 metres)")
        terminal.type("u")
        terminal.see("Taken back: 8,949 metres→8,849 metres.", gone=("metres→8,849 metres high",))
        terminal.type("e\x15It is 8,849 metres high.\r")
        terminal.see("It is 8,949→8,849 metres high", "8,849 (was 8,949)")
        terminal.type("e\x15Gatun Lake is long, Tim said.\r")
        terminal.see("Lake Nicaragua→Gatun Lake is long")
        terminal.type("kp\x1b[A")
        terminal.see("▌→ Gatun Lake (was Lake Nicaragua)", "u undo the last: 1 fact was kept")
        terminal.type("u")
        terminal.see("Taken back: 1 fact was kept.", gone=("metres→8,849 metres.",))


def test_the_keys_that_are_named_are_those_of_the_place(tmp_path: Path) -> None:
    folder = tmp_path / "known"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(ANSWER, encoding="utf-8")
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste(TEXT)
        terminal.see("› Ada Lovelace")
        terminal.paste(str(folder))
        terminal.see("1 folder (2 files)", "what it says counts as true")
    with canned(tmp_path / "other", (120, 40)) as terminal:
        first_check(terminal)
        terminal.see("⏎ use 1815  Tab why", gone=("c check",))
        terminal.type("\t")
        terminal.see("⏎ use 1815", "Esc facts")
        terminal.type("\t\r")
        terminal.see("Esc goes back to its facts", "Tab sources")
        terminal.type("\x1b\x1b[B\x1b[B\x1b[B\x1b[B")
        terminal.see("⏎ unfold")
        terminal.type("\r")
        terminal.see("⏎ fold")


def test_a_fact_without_a_proposal_says_so_and_the_chosen_one_has_a_sign(tmp_path: Path) -> None:
    with canned(tmp_path / "state", (80, 24), "none") as terminal:
        first_check(terminal)
        terminal.see("▌✗ 1 ", "was born in 1816  ", "e edit", "k keep", "n/p fact")
        terminal.type("p")
        terminal.see("▌? 4", "Why 4 is doubtful", gone=("▌✗ 1",))
        terminal.see("⏎ edit", gone=("e edit  k keep  u",))
        terminal.type("n")
        terminal.see("Round to the first one.", "▌✗ 1", "fact 1/4")
        assert terminal.lines[0].strip() == "Round to the first one."
        terminal.type("p")
        terminal.see("Round to the last one.", "▌? 4")
        terminal.type("\r")
        terminal.see("Esc cancel", "typing replaces “Paris”", "Shift+Tab next word")
        terminal.type("X")
        terminal.see("She died in X.")


def test_a_verdict_is_called_wrong_and_that_is_remembered(tmp_path: Path) -> None:
    with canned(tmp_path / "state", (120, 40)) as terminal:
        first_check(terminal)
        terminal.type("w")
        terminal.see("r it is right", "w it is wrong", "Esc cancel")
        terminal.type("r")
        terminal.see("3 in doubt", "2 supported", "that it is right", gone=("1816✗",))
        terminal.type("u")
        terminal.see("4 in doubt", "1 supported", "1816✗¹", "Your word is taken back")
        terminal.type("wr")
        terminal.see("3 in doubt", "2 supported")
    with canned(tmp_path / "state", (120, 40)) as terminal:
        terminal.see("Paste a text to check")
        terminal.type("\x12")
        terminal.see("search all sessions", "· 3 in doubt")
        terminal.type("\r")
        terminal.see("3 in doubt", "2 supported", "1853✗¹")


@pytest.mark.parametrize(
    ("command", "words"),
    [("tests.halubot_tui.late_app", "about to start"), ("halubot", "commands")],
)
def test_no_app_outlives_its_terminal(tmp_path: Path, command: str, words: str) -> None:
    """No signal says that it is gone: the app has no controlling terminal."""
    with started(tmp_path / "state", command) as (process, terminal):
        terminal.see(words)
        terminal.close()
        process.wait(PATIENCE)


def test_a_sentence_is_edited_with_words_of_the_same_kind_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    """The words in doubt are selected; each offer takes the place of the one before."""
    with canned(tmp_path / "state", (80, 24)) as terminal:
        terminal.see("Paste a text to check")
        terminal.paste("Babbage died in 1871. The moon has 3 rings.")
        terminal.see("› Babbage")
        told = "In 1999 Berta saw that the moon has 5 rings. Others say it has 7 rings."
        terminal.paste(f"Babbage died in 1871. {told}")
        terminal.see("1 answer")
        terminal.type("\r")
        terminal.see("Why it is undecided", "Nearest quotes", "has 5 rings.”", "sentence 1/1")
        terminal.see("⏎ use 5", gone=("if a quote",))
        terminal.type("e")
        terminal.see("Tab use 5", "has 5 rings.”", gone=("use 1999", "use Berta"))
        terminal.type("\t")
        terminal.see("The moon has 5 rings.", "Tab use 7")
        terminal.type("\t")
        terminal.see("The moon has 7 rings.", "Tab the source's sentence")
        terminal.type("\t\t\t")
        terminal.see("The moon has 3 rings.", "Tab use 5")
        terminal.type("\t")
        terminal.see("The moon has 5 rings.", "Tab use 7", "Esc cancel")
        # Only what a person wrote is dropped at the second asking.
        terminal.type("\x1b")
        terminal.see("Why it is undecided", gone=("The moon has 5 rings.", "Esc cancel"))
        terminal.type("e")
        terminal.see("Esc cancel")
        terminal.type("\x15")  # Ctrl+U
        terminal.see("^U empty")
        # Home and End are those of the sentence, and Ctrl+W takes the full stop with its word.
        terminal.type("Moon has 4 rings and many, many moons.\x1b[HThe \x1b[F\x17hills.\r")
        terminal.see("→Moon has 4 rings and many,", " hills.", "u undo", gone=("Esc cancel",))


def test_a_path_is_typed_and_a_pasted_source_is_made_one_that_counts_as_true(
    tmp_path: Path,
) -> None:
    file = tmp_path / "known.txt"
    file.write_text(ANSWER, encoding="utf-8")
    with canned(tmp_path / "state", (140, 30)) as terminal:
        terminal.see("Paste a text to check")
        terminal.type(f"{file}")
        terminal.see("known.txt", gone=("Search for commands",))
        terminal.type("\x15")
        terminal.see("Paste a text to check")
        terminal.paste(TEXT)
        terminal.see("› Ada Lovelace")
        terminal.paste(ANSWER)
        terminal.see(
            "+ sources: 1 answer", "Taken for another answer; if it counts as true, press ^T"
        )
        terminal.see("^T counts as true")
        terminal.type("\x14")
        terminal.see("+ sources: 1 document", "^T is another answer")
        terminal.type("\r")
        terminal.see("4 in doubt", "compared with: 1 document", "The reference says 1815")


@pytest.mark.parametrize("how", ["ctrl+q", "hang up"])
def test_what_is_typed_while_the_app_starts_is_kept(tmp_path: Path, how: str) -> None:
    """Its session is not open yet."""
    with started(tmp_path / "state", "halubot") as (process, terminal):
        terminal.see("commands")
        terminal.type("Herons wade")
        terminal.see("Herons wade")
        terminal.type("\x11") if how == "ctrl+q" else terminal.close()
        process.wait(PATIENCE)
    with started(tmp_path / "state", "halubot") as (_, terminal):
        terminal.see("Not sent yet", "Herons wade")
