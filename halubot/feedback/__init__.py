"""Feedback on verdicts: stored, and applied to the reports that the person sees.

with Feedback.open() as feedback:
    feedback.add(report, 0, "wrong", note="it was 1815")
    report = apply_words(report, feedback.words(text=report.text))
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal, Self

from halubot.errors import InputError, StateError
from halubot.events import Note, amend_report
from halubot.report import (
    DOUBTED,
    Fact,
    Frozen,
    Models,
    Remark,
    Report,
    Sentence,
    Triple,
    Verdict,
)
from halubot.state import Base, DamagedStateError, Upgrade, sound, state_folder
from halubot.verdicts import SEVERITY

Says = Literal["right", "wrong"]
"""What a person says of a fact, whatever the verdict was."""


class Word(Frozen):
    """What a person said of one fact of one text, and what had been found of it then.

    It holds for every fact of the same triple in the same text. ``at`` is in UTC.
    """

    id: int
    at: datetime
    says: Says
    note: str = ""
    text: str
    fact: Fact
    method: str
    models: Models = Models()

    @property
    def reason(self) -> str:
        """The word as the reason of a verdict: "you said on 2026-03-01 that it is wrong: it was
        1815"; the day is the local one."""
        said = f"you said on {self.at.astimezone().date().isoformat()} that it is {self.says}"
        return f"{said}: {self.note}" if self.note else said


def apply_words(report: Report, feedback: Iterable[Word]) -> Report:
    """The report with the words on facts of its text in place of their verdicts.

    A fact said to be right is ``supported``, one said to be wrong ``doubtful`` (``contradicted``
    stays so); its basis names the person, its reason says when and why, its feedback also what the
    evidence alone gave, and its probability is None. Its score, which the evidence alone makes, its
    rank and the evidence stay. A sentence goes with its facts: doubted if one is said to be
    wrong, no more if all that were in doubt are said to be right. The report of a corrected text
    heeds what was said of the text before it too. Of several words on one fact the latest counts;
    words on other texts are passed over.
    """
    return _apply(report, sorted(feedback, key=lambda word: word.at), {report.text})


def _apply(report: Report, words: list[Word], texts: set[str]) -> Report:
    of = {word.fact.triple: word for word in words if word.text in texts}
    facts = tuple(_judge(fact, of) for fact in report.facts)
    update: dict[str, object] = {
        "facts": facts,
        "sentences": tuple(
            _follows(sentence, report.facts, facts, of) for sentence in report.sentences
        ),
    }
    # The corrected text has facts of the text before it: what was said of them holds there too.
    again = report.correction.report if report.correction else None
    if report.correction is not None and again is not None:
        again = _apply(again, words, {*texts, again.text})
        update["correction"] = report.correction.model_copy(update={"report": again})
    return report.model_copy(update=update)


def _judge(fact: Fact, of: Mapping[Triple, Word]) -> Fact:
    word = of.get(fact.triple)
    if word is None:
        return fact
    # Words are applied again and again, and the evidence's own verdict must not be lost.
    found = fact if fact.feedback is None else fact.feedback
    wrong: Verdict = "contradicted" if found.verdict == "contradicted" else "doubtful"
    remark = Remark(
        says=word.says, at=word.at, note=word.note, verdict=found.verdict, reason=found.reason
    )
    return fact.model_copy(
        update={
            "verdict": "supported" if word.says == "right" else wrong,
            "basis": fact.basis if "person" in fact.basis else (*fact.basis, "person"),
            "reason": word.reason,
            "feedback": remark,
            # It was measured for the evidence's verdict, and says nothing of a person's.
            "probability": None,
        }
    )


def _follows(
    sentence: Sentence,
    before: tuple[Fact, ...],
    after: tuple[Fact, ...],
    of: Mapping[Triple, Word],
) -> Sentence:
    """The sentence with the verdict that its facts leave it."""
    then, now = ([facts[i] for i in sentence.facts] for facts in (before, after))
    as_a_whole = sentence.verdict in DOUBTED and not any(one.verdict in DOUBTED for one in then)
    if as_a_whole or not any(one.triple in of for one in then):
        return sentence
    worst = min(now, key=lambda one: SEVERITY.index(one.verdict))
    passes = sentence.verdict == "supported" and worst.verdict not in DOUBTED
    if passes or worst.verdict == sentence.verdict:
        return sentence
    return sentence.model_copy(update={"verdict": worst.verdict, "reason": worst.reason})


FILE = "feedback.db"

UPGRADES: tuple[Upgrade, ...] = (
    (
        "CREATE TABLE material (digest TEXT PRIMARY KEY, data TEXT NOT NULL)",
        """CREATE TABLE word (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner TEXT NOT NULL,
            text TEXT NOT NULL,
            triple TEXT NOT NULL,
            material TEXT NOT NULL REFERENCES material,
            data TEXT NOT NULL,
            UNIQUE (owner, text, triple))""",
        "CREATE INDEX word_material ON word (material)",
    ),
    # Texts with their sources were kept for an export that is gone.
    (
        """CREATE TABLE said (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner TEXT NOT NULL,
            text TEXT NOT NULL,
            triple TEXT NOT NULL,
            data TEXT NOT NULL,
            UNIQUE (owner, text, triple))""",
        "INSERT INTO said SELECT id, owner, text, triple, data FROM word",
        "DROP TABLE word",
        "DROP TABLE material",
        "ALTER TABLE said RENAME TO word",
    ),
)
"""All versions of the base; a released one is never changed. ``text`` is a digest, ``owner`` is ""
(bots once kept the words of others there)."""

_LONGEST_NOTE = 2000


class Feedback:
    """The feedback stored in one database. Every method but `close` raises StateError if the
    database cannot be used."""

    def __init__(self, base: Base) -> None:
        self._base = base

    @classmethod
    def open(cls, folder: Path | None = None) -> Self:
        """Open the feedback in a folder (default: `halubot.state.state_folder`)."""
        return cls(Base(place(folder), UPGRADES, holds="feedback"))

    def add(self, report: Report, index: int, says: Says, *, note: str = "") -> Word:
        """Store that a fact is right or wrong, with the fact and the text, and return the stored
        word. It replaces an earlier word on the same fact.

        Raises InputError if the report has no such fact, or the note is longer than 2000
        characters.
        """
        last = len(report.facts) - 1
        if not 0 <= index <= last:
            has = f"no fact {index}: its facts are 0 to {last}" if report.facts else "no facts"
            raise InputError(f"the report has {has}")
        if len(note) > _LONGEST_NOTE:
            raise InputError(f"the note has {len(note)} characters, and may have {_LONGEST_NOTE}")
        fact = report.facts[index]
        word = Word(
            id=0,
            at=datetime.now(UTC),
            says=says,
            note=" ".join(sound(note).split()),
            text=report.text,
            fact=fact,
            method=report.method,
            models=report.models,
        )
        with self._base.change() as changing:
            same = ("", _digest(word.text), json.dumps(fact.triple))
            # By the triple and not by the index: another check may find the facts in another order.
            changing.execute("DELETE FROM word WHERE owner = ? AND text = ? AND triple = ?", same)
            made = changing.execute(
                "INSERT INTO word (owner, text, triple, data) VALUES (?, ?, ?, ?)",
                (*same, word.model_dump_json(exclude={"id"})),
            )
        return word.model_copy(update={"id": made.lastrowid})

    def words(self, *, text: str | None = None) -> tuple[Word, ...]:
        """Return the words, oldest first: all, or those on one text."""
        query, values = "SELECT id, data FROM word WHERE owner = ''", list[str]()
        if text is not None:
            query, values = query + " AND text = ?", [_digest(sound(text))]
        with self._base.read() as reading:
            rows = reading.execute(query + " ORDER BY id", values).fetchall()
        return tuple(self._read(id, data) for id, data in rows)

    def remove(self, id: int) -> None:
        """Delete a word for good. Raises InputError if there is no word with that id."""
        with self._base.change() as changing:
            if not changing.execute("DELETE FROM word WHERE id = ?", (id,)).rowcount:
                raise InputError(f"there is no feedback {id}: halubot feedback list shows what is")
        # Deleted rows stay readable in the file until their place is written over.
        self._base.scrub()

    def close(self) -> None:
        """Close the database; may be called more than once."""
        self._base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, id: int, data: str) -> Word:
        try:
            said = {name: value for name, value in json.loads(data).items() if name != "owner"}
            return Word.model_validate({"id": id, **said})
        except ValueError as error:
            raise DamagedStateError(self._base.path, self._base.holds) from error


def place(folder: Path | None) -> Path:
    """Return the file of feedback in a folder; None is the usual folder. It need not exist."""
    return (folder or state_folder()).expanduser().absolute() / FILE


def with_own_words(report: Report, folder: Path | None = None) -> Report:
    """Return the report with the feedback of the person at this machine applied to its facts; the
    same report if there is none. If it cannot be read, the report's problems say so."""
    # Opening makes the file, which nobody needs who never gave a word.
    if not os.path.exists(place(folder)):
        return report
    try:
        with Feedback.open(folder) as feedback:
            return apply_words(report, feedback.words(text=report.text))
    except StateError as error:
        # Each once: a report may be shown again, with the same trouble.
        return amend_report(report, [Note(what="your feedback was left out", why=str(error))])


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
