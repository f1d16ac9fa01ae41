-- The first version of the bot's base. Statements end with a semicolon at the end of a line.

CREATE TABLE server (id INTEGER PRIMARY KEY, settings TEXT NOT NULL);

CREATE TABLE left_out (person INTEGER PRIMARY KEY);

-- A card that was withdrawn stays as a row without data, so that it is not sent again.
CREATE TABLE card (
    question INTEGER PRIMARY KEY,
    asker INTEGER NOT NULL,
    channel INTEGER NOT NULL,
    server INTEGER,
    message INTEGER,
    dirty INTEGER NOT NULL DEFAULT 1,
    at REAL NOT NULL,
    data TEXT
);
CREATE INDEX card_message ON card (message);

CREATE TABLE report (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    asker INTEGER NOT NULL,
    channel INTEGER NOT NULL,
    server INTEGER,
    at REAL NOT NULL,
    data TEXT NOT NULL
);

-- The messages whose words a card or a report holds, and who wrote them.
CREATE TABLE quoted (
    kind TEXT NOT NULL,
    of INTEGER NOT NULL,
    message INTEGER NOT NULL,
    person INTEGER NOT NULL,
    channel INTEGER NOT NULL,
    server INTEGER,
    PRIMARY KEY (kind, of, message)
);
CREATE INDEX quoted_message ON quoted (message);
CREATE INDEX quoted_person ON quoted (person);

-- Messages of the bot's own that are still to be deleted.
CREATE TABLE errand (
    message INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    at REAL NOT NULL
);

-- The last message of a watched channel that was looked at.
CREATE TABLE heard (
    channel INTEGER PRIMARY KEY,
    server INTEGER NOT NULL,
    message INTEGER NOT NULL
);

-- What people say of verdicts. "mark" is a digest, "data" holds no text.
CREATE TABLE word (
    person INTEGER NOT NULL,
    mark TEXT NOT NULL,
    server INTEGER,
    at REAL NOT NULL,
    says TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (person, mark)
);

-- What a check reserved for each budget that pays for it, and what it spent; "open" until it has
-- ended.
CREATE TABLE spending (
    id TEXT NOT NULL,
    day INTEGER NOT NULL,
    whose TEXT NOT NULL,
    most_calls INTEGER NOT NULL,
    most_micro INTEGER NOT NULL,
    calls INTEGER NOT NULL DEFAULT 0,
    micro INTEGER NOT NULL DEFAULT 0,
    open INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (id, whose)
);
CREATE INDEX spending_whose ON spending (day, whose);
