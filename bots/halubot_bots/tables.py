"""The tables of what a bot remembers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from halubot_bots import quotas

if TYPE_CHECKING:
    from halubot.state import Upgrade

UPGRADES: Final[tuple[Upgrade, ...]] = (
    (
        "CREATE TABLE server (id INTEGER PRIMARY KEY, settings TEXT NOT NULL)",
        "CREATE TABLE opted_out (person INTEGER PRIMARY KEY)",
        """CREATE TABLE report (
            message INTEGER PRIMARY KEY,
            channel INTEGER NOT NULL,
            server INTEGER,
            author INTEGER NOT NULL,
            asked_by INTEGER NOT NULL,
            annotation INTEGER,
            at REAL NOT NULL,
            digest TEXT NOT NULL,
            data TEXT NOT NULL)""",
        "CREATE INDEX report_at ON report (at)",
        "CREATE UNIQUE INDEX report_annotation ON report (annotation) WHERE annotation IS NOT NULL",
        """CREATE TABLE work (
            message INTEGER PRIMARY KEY,
            channel INTEGER NOT NULL,
            server INTEGER,
            author INTEGER NOT NULL,
            at REAL NOT NULL,
            reply INTEGER)""",
        "CREATE TABLE told (what TEXT NOT NULL, whom INTEGER NOT NULL, PRIMARY KEY (what, whom))",
        *quotas.UPGRADE,
    ),
    (
        # Reports of the first version do not tell whose messages they quote, so nobody could have
        # them deleted. They go.
        "DROP TABLE report",
        """CREATE TABLE report (
            message INTEGER NOT NULL,
            kind TEXT NOT NULL,
            asker INTEGER NOT NULL,
            channel INTEGER NOT NULL,
            server INTEGER,
            author INTEGER NOT NULL,
            asked_by INTEGER NOT NULL,
            annotation INTEGER,
            at REAL NOT NULL,
            digest TEXT NOT NULL,
            data TEXT NOT NULL,
            PRIMARY KEY (message, kind, asker))""",
        "CREATE INDEX report_at ON report (at)",
        "CREATE UNIQUE INDEX report_annotation ON report (annotation)"
        " WHERE annotation IS NOT NULL AND kind = 'public'",
        # The messages and people that a report has words of, the checked message among them.
        # Written before the check begins, so that no copy is without an owner for a moment.
        """CREATE TABLE quoted (
            of INTEGER NOT NULL,
            kind TEXT NOT NULL,
            asker INTEGER NOT NULL,
            message INTEGER NOT NULL,
            person INTEGER NOT NULL,
            asked_by INTEGER NOT NULL,
            channel INTEGER NOT NULL,
            server INTEGER,
            at REAL NOT NULL,
            PRIMARY KEY (of, kind, asker, message, person))""",
        "CREATE INDEX quoted_message ON quoted (message)",
        "CREATE INDEX quoted_person ON quoted (person)",
        # What the bot wrote in public about a message, so that it can be taken back.
        """CREATE TABLE shown (
            message INTEGER PRIMARY KEY,
            channel INTEGER NOT NULL,
            of INTEGER NOT NULL,
            at REAL NOT NULL)""",
        "CREATE INDEX shown_of ON shown (of)",
        # What people said of verdicts is kept in the base of feedback, with copies of the texts.
        """CREATE TABLE said (
            word INTEGER NOT NULL,
            person INTEGER NOT NULL,
            of INTEGER NOT NULL,
            kind TEXT NOT NULL,
            asker INTEGER NOT NULL,
            PRIMARY KEY (word, person))""",
        # The last message of a watched channel that was taken up.
        """CREATE TABLE heard (
            channel INTEGER PRIMARY KEY,
            server INTEGER NOT NULL,
            message INTEGER NOT NULL)""",
        # Answers that somebody waits for: after a kill they are told that none will come.
        """CREATE TABLE waiting (
            interaction INTEGER PRIMARY KEY,
            application INTEGER NOT NULL,
            token TEXT NOT NULL,
            at REAL NOT NULL)""",
        "CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
        *quotas.UPGRADE_2,
    ),
    (
        # Who changed which settings of a server.
        """CREATE TABLE changed (
            id INTEGER PRIMARY KEY,
            server INTEGER NOT NULL,
            person INTEGER NOT NULL,
            at REAL NOT NULL,
            what TEXT NOT NULL)""",
        "CREATE INDEX changed_server ON changed (server, id)",
    ),
    ("ALTER TABLE waiting ADD COLUMN language TEXT NOT NULL DEFAULT ''",),
)
"""All versions of the base. A released version is never changed."""
