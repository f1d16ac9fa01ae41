"""The form in which a text is checked: the text, what it answers, what to compare it with."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual import work
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Select, Static, TextArea

from halubot.errors import HalubotError
from halubot.render.captions import number
from halubot.render.inert import one_line
from halubot_tui import actions
from halubot_tui.drafts import Draft, Given
from halubot_tui.form import Fields, Form, label, wrong
from halubot_tui.keys import Keys
from halubot_tui.materials import Materials
from halubot_tui.messages import Commanded
from halubot_tui.picks import Pick, Picks
from halubot_tui.text_area import Editor, is_like_a_path, path_in
from halubot_tui.turns import Inputs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.report import Source
    from halubot_tui.preferences import Preferences

Choice = tuple[Content, str]
Group = Literal["samples", "references"]

NOTHING: Final = (
    "There is nothing to compare the text with yet: give another answer, a document or a folder,"
    " or mark Wikipedia. A model can write the other answers: F8 chooses one."
)
ABOUT: Final = (
    "Paste a text, then what to compare it with: other answers, a document or Wikipedia. F2 checks"
    " it and marks which facts to doubt."
)
ONLINE: Final = "wikipedia"
SIGNED: Final = ("text", "samples", "references")
"""The fields in which a path may be written."""
_PAUSE: Final = 0.2
"""Seconds after the last key of a path in which it is looked up."""
_LONGEST_NAME: Final = 200


class CheckForm(Form[Inputs]):
    """The form for a text to check and its sources; dismissed with it, or with None. As the
    ``first`` thing that a person sees it says what halubot does, and offers an example; ``resume``
    names the session to go on with, "" for none; ``before`` has the sources of the text before,
    which are offered again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.find_action("check-now").binding(),
        actions.find_action("same-sources").binding(),
        actions.find_action("example").binding(),
        actions.find_action("resume").binding(),
        Binding("f8", "app.settings", "Settings", id="settings"),
    ]
    DEFAULT_CSS = """
    CheckForm #text { min-height: 3; max-height: 12; }
    CheckForm.-tall #text { min-height: 12; max-height: 16; }
    CheckForm.-small #text { min-height: 1; max-height: 8; }
    CheckForm .field {
        border-title-color: $primary; border-title-style: bold; border-subtitle-color: $secondary;
    }
    CheckForm .field:focus-within { border-subtitle-color: $primary; }
    CheckForm Input { border-title-color: $primary; border-title-style: bold; }
    CheckForm #about { height: auto; padding-bottom: 1; }
    CheckForm.-small #about { display: none; }
    CheckForm Picks { padding: 0 1; max-height: 6; }
    CheckForm #before { height: auto; padding: 0 1; display: none; }
    CheckForm #before.-shown { display: block; }
    CheckForm .wrong.-found { color: $supported; }
    CheckForm #method { margin-bottom: 1; }
    CheckForm .buttons Button.-style-default { min-width: 9; }
    """

    def __init__(
        self,
        draft: Draft,
        preferences: Preferences,
        *,
        first: bool = False,
        resume: str = "",
        before: Draft | None = None,
    ) -> None:
        super().__init__()
        self._before = before if before is not None and before.sources else None
        self._draft = draft
        self._preferences = preferences
        self._first = first
        self._resume = resume
        self._signed: dict[str, str] = {}
        """What is said of the path that is written in a field."""

    def compose(self) -> ComposeResult:
        draft = self._draft
        with Vertical(id="panel") as panel:
            panel.border_title = "Check a text"
            with Fields():
                if self._first:
                    yield Static(ABOUT, id="about", markup=False)
                with Vertical(classes="field") as field:
                    field.border_title = "Text to check"
                    field.border_subtitle = "then Tab: what to compare it with"
                    yield Editor(id="text", placeholder="Paste the text here, or drop its file")
                yield wrong("text")
                yield Static(id="before", markup=False)
                yield Materials(
                    draft.samples,
                    "Paste another answer, or the path of a file",
                    "samples",
                    "Compare with other answers",
                )
                yield wrong("samples")
                yield Materials(
                    draft.references,
                    "The path of a file or folder, or its text",
                    "references",
                    "Compare with a document or a folder",
                )
                yield wrong("references")
                yield Picks(id="knowledge", many=True)
                yield wrong("knowledge")
                question = Input(
                    draft.question, id="question", placeholder="It tells what the text is about"
                )
                question.border_title = "The question that it answers (not needed)"
                yield question
                yield label("How it is compared")
                yield Select([self._usual], allow_blank=False, id="method")
            with Horizontal(classes="buttons"):
                if self._resume:
                    yield Button("Continue", id="resume", compact=True)
                if self._first:
                    yield Button("Example", id="example", compact=True)
                yield Button("Close", id="back", compact=True)
                yield Button("Check", id="check", variant="primary", compact=True)
        yield Keys()

    def on_mount(self) -> None:
        editor = self.query_one("#text", Editor)
        editor.write(self._draft.text)
        editor.focus()
        if self._resume:
            self.query_one("#panel").border_subtitle = Content(f"Ctrl+R: go on with {self._resume}")
        self.query_one("#knowledge", Picks).mark(self._draft.knowledge)
        self._offer_before()
        self._offer(())
        self.run_worker(self._list_methods(self._draft.method), exit_on_error=False)
        self.run_worker(self._list_knowledge(), exit_on_error=False)

    def prefer(self, preferences: Preferences) -> None:
        """Lists the methods anew: the usual one may be another."""
        self._preferences = preferences
        self.run_worker(self._list_methods(self._method), exit_on_error=False)

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "check":
            self.action_check_now()
        else:
            await self.run_action(str(event.button.id))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Says at once what a path is read as, or that no file is there."""
        editor = event.text_area
        list_of = editor.parent if isinstance(editor.parent, Materials) else None
        field = str((list_of or editor).id)
        if not isinstance(editor, Editor) or field not in SIGNED:
            return
        one_word = editor.document.line_count == 1 and _may_be_a_path(editor.text)
        if one_word or self._signed.get(field):
            self._sign_path(field, editor)

    @work(group="path", exit_on_error=False, description="path")
    async def _sign_path(self, field: str, editor: Editor) -> None:
        text, said, found = editor.text, "", False
        if _may_be_a_path(text):
            await asyncio.sleep(_PAUSE)
            path = await asyncio.to_thread(path_in, text, relative=True)
            found = path is not None
            said = _describe_path(path, folders=field != "text") if path is not None else ""
            if path is None and is_like_a_path(text):
                said = f"There is no file {one_line(text.strip())}."
        if editor.text != text:
            return
        before, self._signed[field] = self._signed.get(field, ""), said
        shown = self.query_one(f"#wrong-{field}", Static)
        if said or str(shown.content) == before != "":  # else something else is wrong with it
            self.complain(field, said, first=False)
            shown.set_class(found, "-found")

    def on_materials_refused(self, event: Materials.Refused) -> None:
        self.complain(str(event.materials.id), event.why)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a session to go on with, or the sources before, are offered."""
        if action == "resume":
            return bool(self._resume)
        if action == "same_sources":
            return self._before is not None
        return super().check_action(action, parameters)

    async def action_example(self) -> None:
        """Opens the example in its own session; what was typed here is kept."""
        await self.action_back()
        self.post_message(Commanded(actions.find_action("demo")))

    def action_same_sources(self) -> None:
        """Puts the sources of the text before into the lists."""
        before, self._before = self._before, None
        if before is None:
            return
        self.query_one("#samples", Materials).give(before.samples)
        self._draft.names |= before.names
        self.query_one("#references", Materials).give(before.references)
        if before.knowledge:
            self._draft.knowledge = (*self._draft.knowledge, *before.knowledge)
            picks = self.query_one("#knowledge", Picks)
            picks.mark((*picks.marked_names, *before.knowledge))
            self.run_worker(self._list_knowledge(), exit_on_error=False)
        for name in ("samples", "references"):
            self.complain(name, "")
        self._offer_before()

    def _offer_before(self) -> None:
        """Says that the sources of the text before can be had again, and with which key."""
        shown, before = self.query_one("#before", Static), self._before
        shown.set_class(before is not None, "-shown")
        if before is not None:
            said = f" compares with the same as before: {before.sources}"
            shown.update(Content.assemble(("F6", "bold $primary"), said))
        self.refresh_bindings()

    async def action_resume(self) -> None:
        """Goes on with the session that was open last."""
        await self.action_back()
        self.post_message(Commanded(actions.find_action("resume")))

    async def action_back(self) -> None:  # type: ignore[override]
        """Leaves the form; what was typed is there when it is opened again."""
        draft = self._draft
        draft.text = self.query_one("#text", Editor).whole
        draft.question = self.query_one("#question", Input).value
        draft.samples = await self.query_one("#samples", Materials).read_left()
        draft.references = await self.query_one("#references", Materials).read_left()
        draft.knowledge = self._knowledge
        draft.method = self._method
        self.dismiss(None)

    @property
    def current_draft(self) -> Draft:
        """Return what stands in the form now."""
        return Draft(
            text=self.query_one("#text", Editor).whole,
            question=self.query_one("#question", Input).value,
            samples=self.query_one("#samples", Materials).standing,
            names=self._draft.names,
            references=self.query_one("#references", Materials).standing,
            knowledge=self._knowledge,
            method=self._method,
        )

    def action_check_now(self) -> None:
        self.run_worker(self._check(), exclusive=True, group="check", exit_on_error=False)

    async def on_editor_dropped(self, event: Editor.Dropped) -> None:
        """The text of a file that is dropped where the text goes stands there."""
        try:
            text = await asyncio.to_thread(_text_of, event.path)
        except HalubotError as error:
            self.complain("text", str(error))
            return
        event.editor.write(text)
        said = f"Read from the file {one_line(event.path.name)}."
        self.call_after_refresh(self._say_read, event.editor.text, said)

    def complain(self, field: str, why: str, *, first: bool = True) -> None:
        """Says below a field what is wrong with it, in the colour of that."""
        super().complain(field, why, first=first)
        self.query_one(f"#wrong-{field}").remove_class("-found")

    def _say_read(self, text: str, said: str) -> None:
        """Says from which file the text is, as long as it stands there."""
        if self.query_one("#text", Editor).text == text:
            self._signed["text"] = said
            self.complain("text", said, first=False)
            self.query_one("#wrong-text").add_class("-found")

    @property
    def _knowledge(self) -> tuple[str, ...]:
        return self.query_one("#knowledge", Picks).marked_names

    @property
    def _method(self) -> str:
        return str(self.query_one("#method", Select).value)

    async def _check(self) -> None:
        """Hand over what is given, or say what is missing."""
        from halubot.evidence.knowledge.bases import is_file

        for name in ("text", "samples", "references", "knowledge"):
            self.complain(name, "")
        written = self.query_one("#text", Editor).content_written
        text, files = written.text, written.files
        if not files and (path := await asyncio.to_thread(path_in, text, relative=True)):
            text, files = "", (path,)
        elif not files and is_like_a_path(text):
            self._refuse("text", f"There is no file {one_line(text)}.")
            return
        try:
            for path in files:
                text += await asyncio.to_thread(_text_of, path)
        except HalubotError as error:
            self._refuse("text", str(error))
            return
        if not text.strip():
            self._refuse("text", "There is no text yet.")
            return
        given: dict[Group, list[Given]] = {}
        for group in ("samples", "references"):
            try:
                given[group] = await self.query_one(f"#{group}", Materials).collect()
            except HalubotError as error:
                self._refuse(group, str(error))
                return
        try:
            found, equal = await asyncio.to_thread(_answers, given["samples"])
        except HalubotError as error:
            self._refuse("samples", str(error))
            return
        answers = [text for text, _ in found]
        names = [name or self._draft.names.get(text, "") for text, name in found]
        references = given["references"]
        paths = [str(one) for one in references if isinstance(one, Path)]
        archives = [path for path in paths if is_file(path)]
        if not (answers or references or self._knowledge or self._preferences.compares):
            self._refuse("samples", NOTHING)
            return
        inputs = Inputs(
            kind="check",
            text=text,
            question=self.query_one("#question", Input).value.strip(),
            samples=tuple(answers),
            names=tuple(names) if any(names) else (),
            references=tuple(one for one in references if isinstance(one, str)),
            files=tuple(path for path in paths if path not in archives),
            knowledge=(*self._knowledge, *archives),
            settings={"method": self._method} if self._method else {},
        )
        if equal:
            same = "has" if equal == 1 else "have"
            said = f"{number(equal, 'answer')} {same} the same text as another: it counts once."
            self.app.notify(said, markup=False)
        self.dismiss(inputs)

    def _refuse(self, field: Literal["text", "samples", "references"], why: str) -> None:
        self.complain(field, why)
        place = self.query_one(f"#{field}")
        (place if isinstance(place, Editor) else place.query_one(Editor)).focus()

    @property
    def _usual(self) -> Choice:
        """The method of the settings."""
        preferences = self._preferences
        if preferences.method:
            return Content(f"as in the settings: {one_line(preferences.method)}"), ""
        by = "a model judges what words cannot settle" if preferences.model else "without a model"
        return Content(f"the usual way: sentence by sentence, {by}"), ""

    async def _list_methods(self, wanted: str) -> None:
        choices = [self._usual, *await asyncio.to_thread(method_choices)]
        chosen = self.query_one("#method", Select)
        chosen.set_options(choices)
        chosen.value = wanted if any(name == wanted for _, name in choices) else ""

    async def _list_knowledge(self) -> None:
        """Lists what may be looked up: the bases of this machine, and Wikipedia."""
        try:
            names = await asyncio.to_thread(_bases, self._preferences.knowledge_folder)
        except HalubotError as error:
            self.complain("knowledge", str(error))
            names = []
        self._offer(names)

    def _offer(self, names: Sequence[str]) -> None:
        """Lists the bases of this machine and Wikipedia, and what else was chosen before."""
        picks = self.query_one("#knowledge", Picks)
        offline = self._preferences.offline
        about = "the settings allow no network" if offline else "online, looks up each sentence"
        online = Content.assemble("Compare with Wikipedia ", (f"({about})", "$secondary"))
        found = {ONLINE: Pick(ONLINE, online, able=not offline)}
        for name in (*names, *self._draft.knowledge):
            found.setdefault(name, Pick(name, f"Compare with your knowledge base {one_line(name)}"))
        picks.put_picks(found.values())


def method_choices() -> list[Choice]:
    """All methods to choose from, each with what it does."""
    from halubot.methods import registry

    found: list[Choice] = []
    for name in registry.method_names():
        summary = one_line(getattr(registry.get(name), "summary", ""))
        found.append((Content.assemble((name, "bold"), f"  {summary}"), name))
    return found


def _bases(folder: Path | None) -> list[str]:
    from halubot.evidence.knowledge.bases import homes

    return [home.name for home in homes(folder)]


def _may_be_a_path(text: str) -> bool:
    """Return whether it is worth the time to look for a file of that name."""
    return 0 < len(text.strip()) <= _LONGEST_NAME and "\n" not in text.strip()


def _describe_path(path: Path, *, folders: bool) -> str:
    """Return what a path is read as."""
    name = one_line(path.name or str(path))
    if path.is_dir():
        if folders:
            return f"This is the folder {name}: the files in it are read."
        return f"This is the folder {name}: give the file of a text, or the folder below."
    return f"This is the file {name}: it is read when the text is checked."


def _text_of(path: Path) -> str:
    from halubot_tui.watching import text_of

    return text_of(path)


def _answers(given: Sequence[Given]) -> tuple[list[tuple[str, str]], int]:
    """The other answers of these entries - each a text, a file, one answer a line of JSON lines, or
    the files of a folder - each with the name of its file, "" for none, and how many were left out
    because another entry has the same text. In one file of answers all count: those were drawn one
    by one, and equal ones are evidence."""
    from halubot import evidence

    found: list[tuple[str, str]] = []
    seen: set[str] = set()
    equal = 0
    for one in given:
        if isinstance(one, str):
            texts = [(one, "")]
        else:
            loaded = evidence.load_all(one, kind="sample")
            texts = [(source.text, _name_of(source)) for source in loaded if source.text]
        words = [" ".join(text.split()) for text, _ in texts]
        new = [text for text, said in zip(texts, words, strict=True) if said not in seen]
        seen.update(words)
        found += new
        equal += len(texts) - len(new)
    return found, equal


def _name_of(source: Source) -> str:
    """The name of the file of an answer; "" of a line of many, which has none of its own."""
    return "" if source.title == f"sample {source.id[1:]}" else source.title
