"""The one screen: the text, its facts, why each has its verdict, and the composer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from halubot.render.inert import crop
from halubot_tui.frugal_compositor import FrugalCompositor
from halubot_tui.widgets.composer import Composer, Prompt, SourcesLine
from halubot_tui.widgets.editor import Editor
from halubot_tui.widgets.key_bar import KeyBar
from halubot_tui.widgets.pane import Pane
from halubot_tui.widgets.status_bar import StatusBar
from halubot_tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Region

    from halubot.feedback import Says
    from halubot.render.items import Entry
    from halubot_tui.app import HalubotApp
    from halubot_tui.sources import Given
    from halubot_tui.text_check import TextCheck
    from halubot_tui.theme import Signs
    from halubot_tui.widgets.evidence_pane import EvidencePane
    from halubot_tui.widgets.fact_list import FactList
    from halubot_tui.widgets.notes import Notes
    from halubot_tui.widgets.session_list import SessionList

NARROW: Final = 76
"""Columns below which the facts stand below the text."""
MEDIUM: Final = 110
"""Columns below which the side bar takes the place of the facts."""
SHORT: Final = 24
"""Rows below which frames give way to lines of text."""
LONGEST_LABEL: Final = 26
"""Characters of what Enter puts in, in the line of keys."""
LOW: Final = 30
"""Rows below which what is written has three lines."""
NEXT_PANE: Final = {"text": "facts", "facts": "why", "prompt": "sources"}
"""What Tab goes to from a pane."""
OF_FACTS: Final = (
    *("step", "save", "edit", "keep", "use"),
    *("undo", "check_again", "own_verdict"),
)


class MainScreen(Screen[None]):
    """Shows one check and what a person does with its facts. The app decides which check."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "pane"),
        Binding("n", "step(1)", "fact", key_display="n/p"),
        Binding("p", "step(-1)", show=False),
        Binding("e", "edit", "edit"),
        Binding("k", "keep", "keep"),
        Binding("u", "undo", "undo"),
        Binding("w", "own_verdict", "right or wrong?", show=False),
        Binding("c", "check_again", "check"),
        Binding("s", "save", "save"),
        Binding("plus", "sources", "sources", show=False),
        Binding("ctrl+r", "sessions", "sessions", show=False),
        Binding("ctrl+n", "new", "new", show=False),
        Binding("escape", "compose_text", show=False),
        Binding("slash", "app.command_palette", "commands"),
    ]

    def __init__(self, signs: Signs) -> None:
        super().__init__()
        self._signs = signs
        self.status, self.text_pane = StatusBar(signs), TextPane(signs)
        self.composer = Composer(signs)
        self._keys = KeyBar()
        self._review: tuple[FactList, EvidencePane, Notes] | None = None
        """The panes that the first frame does not need."""
        self._side_bar: SessionList | None = None
        self._check: TextCheck | None = None
        self._before: TextCheck | None = None
        self._key: str | None = None
        self._follows_doubt = False
        """Whether the fact is looked at that comes first, whichever that is by now."""
        self._read_all = False  # whether the last undecided fact was just read: n tells it once
        self._heading_note: tuple[Content, ...] = ()
        self._moving = False
        self._compositor = FrugalCompositor()

    def compose(self) -> ComposeResult:
        yield self.status
        with Horizontal(id="body"), Vertical(id="reading"):
            yield from (self.text_pane.heading, self.text_pane)
        yield Static(id="next", markup=False)
        yield from (self.composer.prompt.heading, self.composer)
        yield self._keys

    def on_mount(self) -> None:
        self.composer.prompt.focus()
        self.halubot.greet()

    def on_screen_suspend(self) -> None:
        self._keys.visible = False  # a dialog has keys of its own

    def on_screen_resume(self) -> None:
        self._keys.visible = True

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < NARROW, "-narrow")
        self.set_class(event.size.width < MEDIUM, "-medium")
        self.set_class(event.size.height < SHORT, "-short")
        self.set_class(event.size.height < LOW, "-low")

    def set_focus(self, *where: Any, **how: Any) -> None:
        """Move the focus. What it changes draws itself, all at once, and nothing else."""
        before, self._moving = self.focused, True
        super().set_focus(*where, **how)
        self._moving = False
        for one in {before, self.focused}:
            if isinstance(one, Pane):
                one.heading.show(lit=one is self.focused)

    def refresh(self, *regions: Region, repaint: bool = True, **what: bool) -> Self:
        """Draw the whole screen anew."""
        return super().refresh(*regions, repaint=repaint and not self._moving, **what)

    @property
    def halubot(self) -> HalubotApp:
        """The app, which owns what is worked with."""
        from halubot_tui.app import HalubotApp

        assert isinstance(self.app, HalubotApp)  # noqa: S101 - no other app has this screen
        return self.app

    def paste_field(self) -> Prompt:
        """The field that takes what is pasted while none has the focus."""
        return self.composer.prompt

    @property
    def selected(self) -> Entry | None:
        """The fact that is looked at."""
        return None if self._check is None else self._check.entry(self._key)

    # What is shown.

    def welcome(self, lines: tuple[Content, ...]) -> None:
        """Show how to begin, while no check is there."""
        self._heading_note = lines
        if self._check is None:
            self.text_pane.show(lines, None)
            self.set_class(True, "-empty")

    async def open(self, check: TextCheck | None, before: TextCheck | None) -> None:
        """Show another check; None shows how to begin."""
        self._check, self._before = check, before
        self._key, self._follows_doubt, self._read_all = None, check is not None, False
        grows = self.has_class("-empty")
        self.set_class(check is None, "-empty")
        if check is not None:
            await self._mount_review()
            self._key = self._first_key()
        draw = partial(self.redraw, bring=True)
        # A text that is drawn before the panes have their sizes is cut at their border.
        self.call_after_refresh(draw) if grows else draw()

    async def _mount_review(self) -> None:
        if self._review is not None:
            return
        from halubot_tui.widgets.evidence_pane import EvidencePane
        from halubot_tui.widgets.fact_list import FactList
        from halubot_tui.widgets.notes import Notes

        facts, evidence = FactList(self._signs), EvidencePane(self._signs)
        notes = Notes(self._signs)
        await self.query_one("#reading").mount(notes)
        panes = facts.heading, facts, evidence.heading, evidence
        await self.query_one("#body").mount(Vertical(*panes, id="review"))
        self._review = facts, evidence, notes

    def _first_key(self) -> str | None:
        """The entry that is looked at first: the most doubted that nothing was done about."""
        from halubot_tui.corrections import entry_key

        check = self._check
        if check is None:
            return None
        doubted = (one for one in check.listed if one.is_doubted)
        first = [*(stop[0] for stop in check.next_stops), *doubted]
        return entry_key(first[0]) if first else None

    def redraw(self, *, bring: bool = False) -> None:
        """Draw the check as it stands now."""
        check = self._check
        if not self.is_mounted:
            return
        if check is None:
            self.text_pane.show(self._heading_note, None)
            self._say_next(())
            if review := self._review:
                review[0].show(None, None)
                review[1].show(None, ())
            self.refresh_bindings()
            return
        from halubot_tui.widgets.fact_list import GROUP

        if self.selected is None and not (self._key or "").startswith(GROUP):
            self._key = None
        if (self._key is None or self._follows_doubt) and check.entries:
            before, self._key = self._key, self._first_key()
            bring = bring or self._key not in (None, before)
        self._follows_doubt &= check.running or (check.near is None and not check.corrections)
        self._draw_text(check, bring=bring)
        said = self.halubot.notes_of(check)
        if (review := self._review) is not None:
            asks = self.halubot.asks_model
            review[0].show(check, self._key)
            review[1].show(check, self._together, said, asks_model=asks, group=self._key or "")
            review[2].show(said)
        self.refresh_bindings()

    def _draw_text(self, check: TextCheck, *, bring: bool = False) -> None:
        from halubot_tui.headings import heading, next_step
        from halubot_tui.text.laid_text import Shown

        asked = self.halubot.asked_on_the_web(check) if check.running else ()
        shown = Shown(
            text=check.text,
            report=check.report,
            entries=check.entries,
            running=check.running,
            streaming=check.streaming,
            changes=check.corrections.changes,
            places=check.marks,
            kept=check.settled,
            new=self.halubot.open_checks.new_words(check, self._before),
        )
        self._say_next((*next_step(check, self._before, self.selected),))
        self.text_pane.show(
            (*heading(check, asked),),
            shown,
            self._key,
            bring=bring,
            follow=check.streaming,
            aside=check.is_long,
        )

    def _say_next(self, lines: Sequence[Content]) -> None:
        told, said = self.query_one("#next", Static), Content("\n").join(lines)
        if told.content != said:
            told.update(said)
            told.set_class(bool(lines), "-said")

    def select(self, key: str | None) -> None:
        """Look at a fact."""
        if self._check is None or key == self._key:
            return
        self._key, self._follows_doubt = key, False
        self.redraw(bring=True)

    # What the keys do.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is something to do that with."""
        check, entry = self._check, self.selected
        if action in OF_FACTS and self._side_bar and self._side_bar.has_focus_within:
            return False
        if (
            action == "compose_text"
        ):  # without a model letters are keys, as long as nobody goes there
            asks = self.halubot.asks_model or check is None
            return asks and not isinstance(self.focused, (Prompt, SourcesLine))
        if check is None:
            return action not in (*OF_FACTS, "review") and super().check_action(action, parameters)
        is_open = entry is not None and check.handling(entry) == "open"
        match action:
            case "step":  # while nothing is judged yet there is nothing to go to
                return bool(check.text and (check.stops or not check.running))
            case "save":
                return bool(check.text)
            case "undo":
                return bool(check.corrections) or self._before is not None
            case "edit" | "keep" | "use" | "own_verdict" if entry is None or check.running:
                return False
            case "keep":
                return is_open and entry is not None and entry.verdict != "supported"
            case "use":
                return is_open
            case "own_verdict":
                return entry is not None and entry.fact is not None
            case "check_again":
                return not check.running
            case _:
                return super().check_action(action, parameters)

    def can_use(self, entry: Entry) -> bool:
        """Whether Enter changes something about an entry."""
        check = self._check
        if check is None or check.running or check.handling(entry) != "open":
            return False
        return check.corrections.proposal(entry) is not None or (
            entry.is_doubted and self.halubot.asks_model
        )

    @property
    def _together(self) -> Sequence[Entry]:
        """The entries that are looked at, the selected one first: with an undecided fact those of
        its sentence."""
        if (check := self._check) is None or (selected := self.selected) is None:
            return ()
        stop = next((one for one in check.stops if selected in one), ())
        return selected, *(one for one in stop if one is not selected)

    def action_step(self, by: int) -> None:
        """Go to what is left next, or before: first to what there is more to read of it, and from
        an end to the other one, which is told."""
        check, review = self._check, self._review
        if by > 0 and review is not None and self._has_more:
            review[1].action_page_down()
            self.call_after_refresh(self._note_last_read)
            return
        if by > 0:
            self._note_read()
        if check is None or not (
            stops := check.next_stops if by > 0 and check.unread else check.stops
        ):
            self.notify("Nothing is left to look at: s saves.", timeout=3)
            return
        again = by > 0 and self._read_all and not (self.selected and self.selected.is_doubted)
        key, is_round = check.step("" if again else self._key or "", stops, by)
        self._read_all &= not again
        if again or is_round:
            told = f"{'All are read. ' * again}Round to the {'first' if by > 0 else 'last'} one."
            self.notify(told if len(stops) > 1 else "Nothing else is left.", timeout=3)
        self.select(key) if key != self._key else self.redraw()
        self.call_after_refresh(self._note_last_read)
        if isinstance(self.focused, SourcesLine):
            self.action_review()  # what is said of the fact is done by the keys there

    @property
    def _has_more(self) -> bool:
        """Whether there is more to read of what is looked at than is in sight."""
        review = self._review
        return review is not None and len(self._together) > 1 and review[1].more_below

    def _note_last_read(self) -> None:
        """Note that what is looked at was read if nothing else is left to be read, and all of it is
        in sight."""
        check = self._check
        if check is None or not check.unread or self._has_more:
            return
        if {*check.unread} <= {*self._together}:
            self._note_read()
            self.redraw()

    def _note_read(self) -> None:
        """Note that what is looked at was read."""
        if (check := self._check) is not None and not check.running and self._together:
            before = bool(check.unread)
            check.note_read(self._together)
            if not check.unread:
                self._read_all |= before
                self.halubot.checks.store_corrections(check)

    def _step_on(self) -> None:
        """Go on to what is left next: to doubts first, then to what was not read."""
        if (check := self._check) is not None and (check.open_doubts or check.unread):
            doubts = [one for one in check.next_stops if one[0].is_doubted]
            self.select(check.step(self._key or "", doubts or check.next_stops)[0])

    def key_label(self, action: str, label: str) -> str:
        """What a key does: ``n`` says how far one is, Tab where it goes to; c is named once there
        is something to check; in a text / is written."""
        check = self._check
        if action == "app.command_palette" and isinstance(self.focused, Editor):
            return ""
        selected = self.selected
        if action == "edit" and self.use_label == label:
            return ""  # Enter does that
        if action == "app.focus_next":
            return NEXT_PANE.get(getattr(self.focused, "id", None) or "", label)
        if action == "check_again" and check is not None:
            return label if check.corrections.changes or check.state != "done" else ""
        if action != "step(1)" or selected is None:
            return label
        stops = () if check is None else check.all_stops
        alike = [one for one in stops if one[0].is_doubted == selected.is_doubted]
        at = next((n for n, one in enumerate(alike) if selected in one), None)
        if at is None:
            return label
        said = f"sentence {at + 1}/{len(alike)}"
        if selected.is_doubted:  # doubts about the same words are gone to at once
            said = f"fact {sum(map(len, alike[:at])) + 1}/{sum(map(len, alike))}"
        return "more below" if self._has_more else said

    @property
    def use_label(self) -> str:
        """What Enter does about the fact that is looked at; "" for nothing."""
        from halubot_tui.explanation import offer

        check, entry = self._check, self.selected
        if check is None or entry is None or not self.can_use(entry):
            return "edit" if self.check_action("use", ()) else ""
        edit = check.corrections.proposal(entry)
        label = "ask the model" if edit is None else offer(edit, check.beside(entry).whole)
        return crop(label, LONGEST_LABEL)

    async def action_use(self) -> None:
        """Make the proposed change, or ask the model for one; without either edit the sentence."""
        from halubot_tui.explanation import all_quotes

        check, entry = self._check, self.selected
        if check is None or entry is None or check.report is None:
            return
        if not self.can_use(entry):
            if check.handling(entry) == "open":
                self.action_edit()
            return
        twins = [one for one in self._together if one.is_doubted]
        self._note_read()  # with the other facts of the sentence, which stand there too
        if check.corrections.take(entry, all_quotes(entry, check.near, check.report), twins):
            self._changed(check, go_on=True)
        else:
            self.halubot.checks.ask_for_corrections(check)

    def action_edit(self) -> None:
        """Edit the sentence of the fact beside the words of the sources."""
        check, entry, review = self._check, self.selected, self._review
        if check is None or entry is None or review is None or check.report is None:
            return
        self.add_class("-editing")
        review[1].edit(check, entry, check.report)

    def on_evidence_pane_edited(self, event: EvidencePane.Edited) -> None:
        check, entry, review = self._check, self.selected, self._review
        self.remove_class("-editing")
        if review is not None:
            review[1].close_editor()
            review[0].focus()
        if event.text is None or check is None or entry is None or check.report is None:
            return
        from halubot.correction.suggestions import sentence_at
        from halubot_tui.explanation import all_quotes

        start, end = sentence_at(check.report, entry)
        words = event.text.strip()
        if words != check.corrections.apply(check.text, start, end).strip():
            quoted = all_quotes(entry, check.near, check.report) if event.taken else ()
            same = [one for one in check.entries if start == sentence_at(check.report, one)[0]]
            told = start, end, check.text[start:end], words, quoted
            check.corrections.write(*told, seen=self._together, beside=same)
            self._changed(check, go_on=True)

    def action_keep(self) -> None:
        """Leave the fact as it is."""
        check, entry = self._check, self.selected
        if check is not None and entry is not None:
            check.corrections.keep(*self._together)
            self._changed(check, go_on=True)

    def action_own_verdict(self) -> None:
        """Ask whether the fact is right or wrong."""
        from halubot_tui.screens.dialogs import OwnVerdictDialog

        check, entry = self._check, self.selected
        if check is None or entry is None:
            return

        def answer(says: Says | None) -> None:
            if says is not None:
                check.corrections.say(entry)
                self.halubot.say(check, entry, says)

        self.app.push_screen(OwnVerdictDialog(entry.reading), answer)

    async def action_undo(self) -> None:
        """Take the last change back; with none, go back to the version before."""
        from halubot_tui.corrections import Say, concerns, entry_key
        from halubot_tui.explanation import action_words

        check = self._check
        if check is None:
            return
        if (undone := check.corrections.undo()) is not None:
            if not isinstance(undone, Say):  # that one is told once it is stored
                self.notify(f"Taken back: {action_words(undone)}.", timeout=4, markup=False)
            about = next((one for one in check.entries if concerns(undone, one)), None)
            self._key = entry_key(about) if about is not None else self._key
            if isinstance(undone, Say) and about is not None:
                self.halubot.say(check, about, undone.before)
            self._changed(check, go_on=False)
        elif self._before is not None:
            await self.halubot.show_check(self._before)

    def _changed(self, check: TextCheck, *, go_on: bool) -> None:
        check.saved = ""
        self.halubot.checks.store_corrections(check)
        if go_on:
            self._step_on()
        self.redraw(bring=True)

    def action_check_again(self) -> None:
        if self._check is not None:
            self.halubot.checks.check_again(self._check)

    def action_save(self) -> None:
        if self._check is None:
            return
        from halubot_tui.screens.save_screen import SaveScreen

        self.app.push_screen(SaveScreen(self._check, self._signs), lambda _: self.redraw())

    def action_compose_text(self) -> None:
        """Go to the composer."""
        self.composer.prompt.focus()

    def action_review(self) -> None:
        """Go from the composer to the facts."""
        if self._check is not None and (review := self._review) is not None:
            review[0].focus()

    def action_switch_kind(self) -> None:
        self.composer.switch_kind()

    async def action_example(self) -> None:
        await self.halubot.open_example()

    async def action_new(self) -> None:
        """Begin a new session."""
        await self.halubot.open_session(0)
        self.composer.prompt.focus()

    def action_sources(self) -> None:
        """Add or remove what the text is compared with."""
        self.ask_for_sources()

    def ask_for_sources(self, why: str = "") -> None:
        """Open the sources of the draft, or else of the check that is shown, and say ``why``."""
        from halubot_tui.screens.sources_screen import SourcesScreen
        from halubot_tui.sources import of_inputs

        composer = self.composer
        check = None if composer.sources or not composer.is_empty else self._check
        verb = "Use" if check is None and composer.is_empty else "Check"
        screen = SourcesScreen(
            composer.sources if check is None else of_inputs(check.inputs),
            self.halubot.preferences,
            self._signs,
            unadded=composer.unadded if check is None else "",
            say=why,
            use_label="Ask" if verb == "Check" and composer.kind == "ask" else verb,
            keep=composer.give if check is None else lambda given, unadded: None,
        )
        self.app.push_screen(screen, partial(self._use_sources, check))

    async def _use_sources(self, check: TextCheck | None, given: tuple[Given, ...] | None) -> None:
        """Check again with these sources, or check the draft, which has them already."""
        if given is not None and check is not None:
            self.halubot.checks.change_sources(check, given)
        elif given is not None and not self.composer.is_empty:
            await self.halubot.send()

    # The side bar of sessions.

    async def action_sessions(self) -> None:
        """Show all sessions, or go back from them."""
        if self._side_bar is not None:
            await self.close_side_bar()
            return
        from halubot_tui.widgets.session_list import SessionList

        self._side_bar = side_bar = SessionList(self.halubot.store, self._signs)
        self.add_class("-listing")
        await self.query_one("#body").mount(side_bar, before=0)
        side_bar.focus_list()

    async def close_side_bar(self) -> None:
        """Take the side bar away."""
        if (side_bar := self._side_bar) is not None:
            self._side_bar = None
            await side_bar.remove()
            self.remove_class("-listing")
            self.action_review() if self._check is not None else self.action_compose_text()

    def reload_side_bar(self) -> None:
        """Read the sessions again if they are shown."""
        if (side_bar := self._side_bar) is not None:
            side_bar.reload()

    async def on_session_list_closed(self, event: SessionList.Closed) -> None:
        await self.close_side_bar()

    async def on_session_list_opened(self, event: SessionList.Opened) -> None:
        await self.close_side_bar()
        await self.halubot.open_session(event.session)
        self.action_review()

    def on_session_list_renamed(self, event: Any) -> None:
        self.halubot.name_session()

    async def on_session_list_discarded(self, event: SessionList.Discarded) -> None:
        self.notify(f"Deleted; ^Z brings it back: “{event.title}”", markup=False)
        here = self.halubot.session_id
        if here == event.session:
            await self.halubot.open_session(0)

    # What the widgets tell.

    def on_fact_list_chosen(self, event: FactList.Chosen) -> None:
        review = self._review
        # The cursor may be further on already: what it left is not gone back to.
        if review is not None and review[0].chosen == event.key:
            self.select(event.key)

    async def on_fact_list_used(self, event: FactList.Used) -> None:
        self.select(event.key)
        await self.action_use()

    def on_text_pane_mark_clicked(self, event: TextPane.MarkClicked) -> None:
        self.select(event.key)

    def on_composer_source_taken(self, event: Composer.SourceTaken) -> None:
        from halubot_tui.sources import describe

        said = f"Added {describe((event.source,))}: what it says counts as true."
        if event.source.kind == "answer":
            said = "Taken for another answer; if it counts as true, press ^T."
        self.notify(f"{said} Enter checks.", timeout=6)

    async def on_composer_sent(self, event: Composer.Sent) -> None:
        await self.halubot.send()
