"""A store that several machines share, in PostgreSQL: far, behind the near one of each machine.

The first completion under a key stays, and is what everybody reads. Keys and owners lie there as
HMACs with a key of the team, so that nobody without it can tell what was asked; values carry its
signature, or are encrypted. No connection without TLS leaves the machine.

Trouble costs no work: after three failures in a row, or an answer that takes too long, the far
store is left alone for a while and a `Problem` says so once.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from typing import Any, TypeVar

from halubot_cache.disk import as_text
from halubot_cache.errors import Problem, SharedStoreError, StoreError, UnavailableError
from halubot_cache.folder import SHARED, private_file
from halubot_cache.request import Key

T = TypeVar("T")
Entry = dict[str, object]

FAILURES = 3
ANSWER_SECONDS = 0.25
CONNECT_SECONDS = 2
REST_SECONDS = 30.0

_VERSION = 1
_PLAIN, _SEALED = b"\x00", b"\x01"
_TABLES = """
CREATE TABLE IF NOT EXISTS halubot_store (version integer NOT NULL, team bytea NOT NULL);
CREATE TABLE IF NOT EXISTS halubot_completions (
  key bytea PRIMARY KEY,
  owners bytea[] NOT NULL,
  value bytea NOT NULL,
  stored timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS halubot_completions_owners ON halubot_completions USING gin (owners);
"""
_LOCK = 0x68616C75  # who makes the tables; any number that is always the same
_FIND = "SELECT value FROM halubot_completions WHERE key = %s"
_ADD = (
    "INSERT INTO halubot_completions (key, owners, value) VALUES (%s, %s, %s)"
    " ON CONFLICT (key) DO NOTHING"
)
_FORGET = "DELETE FROM halubot_completions WHERE owners @> ARRAY[%s]::bytea[]"


@dataclass(frozen=True)
class Shared:
    """Where the far store is: the address of a PostgreSQL database, the file of the team's key, and
    whether values are encrypted."""

    url: str
    key_file: str
    encrypt: bool = False

    @classmethod
    def read(cls, folder: Path) -> Shared | None:
        """Read what the store in ``folder`` shares; None if nothing. Raises SharedStoreError for
        a file that is damaged."""
        try:
            return cls(**json.loads((folder / SHARED).read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            raise SharedStoreError(f"{folder / SHARED} cannot be read: {error}") from error

    def write(self, folder: Path) -> None:
        """Have the store in ``folder`` share. Raises OSError."""
        # Other processes read it at any moment: a rename shows them the old file or the whole new
        # one.
        half = folder / f"{SHARED}.part"
        private_file(half)
        half.write_text(json.dumps(asdict(self)), encoding="utf-8")
        half.replace(folder / SHARED)


def make_key(path: Path) -> None:
    """Make a key for a team, for its owner's eyes only. Raises OSError; FileExistsError too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(f"halubot-team-key-1:{secrets.token_hex(32)}\n")


def set_up(shared: Shared) -> None:
    """Make the tables if there are none. Raises SharedStoreError if the database cannot be reached,
    or belongs to a team with another key."""
    cipher = Cipher.read(Path(shared.key_file), encrypt=shared.encrypt)
    library = load_library()
    try:
        # Without the short limit of time: making tables may take longer than an answer may.
        where = {**connection_arguments(shared.url, library), "options": "", "autocommit": False}
        with library.connect(**where) as connection:
            # CREATE TABLE IF NOT EXISTS fails if two machines run it at the same moment.
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            connection.execute(_TABLES)
            if connection.execute("SELECT 1 FROM halubot_store").fetchone() is None:
                row = (_VERSION, cipher.team)
                connection.execute("INSERT INTO halubot_store VALUES (%s, %s)", row)
            _require_team(connection, cipher)
    except library.Error as error:
        raise SharedStoreError(f"the shared store cannot be used: {one_line(error)}") from error


class Cipher:
    """The key of a team: keys and owners as others cannot read them, values signed or sealed."""

    def __init__(self, secret: bytes, *, encrypt: bool) -> None:
        self._secret = secret
        self._encrypt = encrypt
        self.team = self._mac(b"team")

    @classmethod
    def read(cls, path: Path, *, encrypt: bool) -> Cipher:
        """Read a key that `make_key` made. Raises SharedStoreError."""
        try:
            kind, _, rest = path.read_text(encoding="ascii").strip().partition(":")
            secret = bytes.fromhex(rest)
        except (OSError, ValueError) as error:
            raise SharedStoreError(f"the team's key {path} cannot be read: {error}") from error
        if kind != "halubot-team-key-1" or len(secret) != 32:
            raise SharedStoreError(f"{path} is no key of a team: copy the file from a colleague")
        return cls(secret, encrypt=encrypt)

    def key(self, text: str) -> bytes:
        """Return the HMAC of a key."""
        return self._mac(b"key", text.encode())

    def owners(self, owner: str) -> list[bytes]:
        """Return the HMACs of an owner and of each above: discord:1:2, discord:1, discord."""
        # Each level has its own HMAC, since nothing beneath a name can be found by a hash of the
        # name.
        parts = owner.split(":")
        return [self.owner(":".join(parts[:end])) for end in range(1, len(parts) + 1)]

    def owner(self, owner: str) -> bytes:
        """Return the HMAC of one owner."""
        return self._mac(b"owner", owner.encode())

    def seal(self, key: bytes, text: bytes) -> bytes:
        """Return a value as it lies under a key: signed, or encrypted."""
        if not self._encrypt:
            # The key is signed along: a value that is moved under another key does not fit there.
            return _PLAIN + self._mac(b"plain", key, text) + text
        nonce = secrets.token_bytes(12)
        sealed: bytes = self._aead(key).encrypt(nonce, text, key)
        return _SEALED + nonce + sealed

    def open(self, key: bytes, value: bytes) -> bytes | None:
        """Return the text of a value under a key; None if nobody with the team's key wrote it."""
        if value[:1] == _PLAIN:
            signature, text = value[1:33], value[33:]
            fits = hmac.compare_digest(signature, self._mac(b"plain", key, text))
            return text if fits else None
        if value[:1] != _SEALED:
            return None
        try:
            opened: bytes = self._aead(key).decrypt(value[1:13], value[13:], key)
        except import_module("cryptography.exceptions").InvalidTag:
            return None
        return opened

    def _aead(self, key: bytes) -> Any:
        # A key for each row: a random nonce is then never used twice with one.
        ciphers = import_module("cryptography.hazmat.primitives.ciphers.aead")
        return ciphers.AESGCM(self._mac(b"sealed", key))

    def _mac(self, *parts: bytes) -> bytes:
        # With lengths, or ("a", "bc") and ("ab", "c") would have one HMAC.
        said = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        return hmac.digest(self._secret, said, sha256)


class Far:
    """The far store. ``tell`` hears of trouble, once. Threads may share it.

    Raises SharedStoreError for a key or an address that cannot be used; nothing is connected yet.
    """

    def __init__(self, shared: Shared, tell: Callable[[Problem], None]) -> None:
        self._cipher = Cipher.read(Path(shared.key_file), encrypt=shared.encrypt)
        self._library = load_library()
        self._where = connection_arguments(shared.url, self._library)
        self._tell = tell
        self._told = False
        self._lock = threading.Lock()
        self._connection: Any = None
        self._failures = 0
        self._rests_until = 0.0

    def get(self, key: str) -> Entry | None:
        """Return the entry under ``key``; None if there is none, or in trouble."""
        place = self._cipher.key(key)
        value = self._attempt(lambda connection: _found(connection, place))
        return self._entry(key, place, value)

    def put(self, key: str, entry: Entry) -> Entry | None:
        """Keep ``entry`` unless one is there; the one that is there now. None in trouble."""
        parts = Key.read(key)
        if parts is None:
            return None
        place = self._cipher.key(key)
        # The key would tell in plain text whose it is.
        rest = {name: value for name, value in entry.items() if name != "key"}
        value = self._cipher.seal(place, as_text(rest).encode())
        row = place, self._cipher.owners(parts.owner), value

        def add(connection: Any) -> bytes | None:
            # Read back afterwards: if another machine was first, its completion counts for all.
            connection.execute(_ADD, row)
            return _found(connection, place)

        return self._entry(key, place, self._attempt(add))

    def forget(self, owner: str) -> int:
        """Delete all of ``owner`` and of owners beneath; how many. Raises UnavailableError if that
        could not be done."""
        try:
            # A connection of its own without the short limit of time: to delete may take longer
            # than to find.
            with self._library.connect(**{**self._where, "options": ""}) as connection:
                _require_team(connection, self._cipher)
                count: int = connection.execute(_FORGET, (self._cipher.owner(owner),)).rowcount
        except (self._library.Error, SharedStoreError) as error:
            why = f"nothing was deleted in the shared store: {one_line(error)}"
            raise UnavailableError(why) from error
        return count

    def close(self) -> None:
        """End the connection."""
        with self._lock:
            self._hang_up()

    def _entry(self, key: str, place: bytes, value: bytes | None) -> Entry | None:
        if value is None:
            return None
        text = self._cipher.open(place, value)
        try:
            found = None if text is None else json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            self._say("entries were not written with the team's key; they do not count")
            return None
        return {"key": key, **found}

    def _attempt(self, work: Callable[[Any], T]) -> T | None:
        """The result of ``work`` on the connection; None in trouble, and while it rests."""
        with self._lock:
            if time.monotonic() < self._rests_until:
                return None
            try:
                result = self._in_time(work)
            except TimeoutError:
                # At once and not after three: each such wait is added to every call of a check.
                self._rest(f"no answer within {ANSWER_SECONDS:g} s")
            except (self._library.Error, SharedStoreError) as error:
                self._hang_up()
                self._failures += 1
                if self._failures >= FAILURES or isinstance(error, SharedStoreError):
                    self._rest(one_line(error))
            else:
                self._failures = 0
                return result
            return None

    def _in_time(self, work: Callable[[Any], T]) -> T:
        """The result of work that waits for a network. Raises TimeoutError."""
        if self._connection is None:
            self._connection = self._library.connect(**self._where)
            _require_team(self._connection, self._cipher)
        # On a thread, since libpq can wait for a dead network longer than any of its own limits.
        outcome: Future[T] = Future()
        connection = self._connection

        def run() -> None:
            try:
                outcome.set_result(work(connection))
            except BaseException as error:  # noqa: BLE001 - it is raised where the result is wanted
                outcome.set_exception(error)
            if connection is not self._connection:  # nobody waited for it to the end
                with suppress(self._library.Error):
                    connection.close()

        threading.Thread(target=run, name="halubot shared store", daemon=True).start()
        try:
            return outcome.result(ANSWER_SECONDS)
        except TimeoutError:
            self._connection = None
            with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)  # ends the wait of the thread
            raise

    def _rest(self, why: str) -> None:
        """Leave the far store alone for a while."""
        self._hang_up()
        self._failures = 0
        self._rests_until = time.monotonic() + REST_SECONDS
        self._say(f"going on with this machine's own: {why}")

    def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(self._library.Error):
                connection.close()

    def _say(self, why: str) -> None:
        if not self._told:
            self._told = True
            self._tell(Problem("the shared store", why))


def _found(connection: Any, place: bytes) -> bytes | None:
    row = connection.execute(_FIND, (place,)).fetchone()
    return None if row is None else bytes(row[0])


def _require_team(connection: Any, cipher: Cipher) -> None:
    row = connection.execute("SELECT version, team FROM halubot_store").fetchone()
    if row is None or row[0] != _VERSION:
        raise SharedStoreError("the shared store was made by another version of halubot")
    if bytes(row[1]) != cipher.team:
        raise SharedStoreError(
            "the shared store belongs to a team with another key: copy its file from a colleague"
            " and name it with --key"
        )


def connection_arguments(url: str, library: Any) -> dict[str, Any]:
    """Return the arguments of psycopg's ``connect`` for an address. Raises SharedStoreError for one
    without TLS to elsewhere."""
    try:
        given: dict[str, Any] = library.conninfo.conninfo_to_dict(url)
    except library.Error as error:
        raise SharedStoreError(f"no address of a database: {error}".strip()) from error
    hosts = [host for host in _hosts(given) if not _is_here(host)]
    if not _hosts(given):
        raise SharedStoreError("name the machine: postgresql://USER@HOST/DATABASE")
    if hosts:
        given.setdefault("sslmode", "verify-full")
        if given["sslmode"] not in ("require", "verify-ca", "verify-full"):
            raise SharedStoreError(f"{hosts[0]} is another machine: sslmode must ask for TLS")
        if given["sslmode"] == "verify-full":
            # verify-full without it looks for a file in the home folder that hardly anybody has.
            given.setdefault("sslrootcert", "system")
    given.setdefault("connect_timeout", CONNECT_SECONDS)
    given["options"] = f"-c statement_timeout={round(1000 * ANSWER_SECONDS)}"
    return {**given, "autocommit": True}


def _hosts(given: dict[str, Any]) -> list[str]:
    names = [str(given.get(name) or "") for name in ("host", "hostaddr")]
    return [host for host in ",".join(names).split(",") if host]


def _is_here(host: str) -> bool:
    # A path is a Unix socket.
    if host.startswith("/") or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def one_line(error: BaseException) -> str:
    """Return an error of the database on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def load_library() -> Any:
    """Return psycopg. Raises StoreError if the extra is missing."""
    try:
        import_module("cryptography")
        return import_module("psycopg")
    except ImportError as error:
        raise StoreError(
            "a shared store needs an extra: pip install 'halubot[postgres]'"
        ) from error
