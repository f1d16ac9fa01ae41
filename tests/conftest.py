"""What holds for all tests: no network, settings of nobody's machine, and Hypothesis profiles."""

from __future__ import annotations

import gc
import ipaddress
import os
import shutil
import signal
import sys
from collections.abc import Generator, Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from halubot import own_process
from halubot.methods import registry
from halubot.models import limits

# Modules are compiled once, not again by each worker and each process that tests start.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile(
    "local",
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, max_examples=20)
settings.register_profile("thorough", settings.get_profile("local"), max_examples=150)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "local")
)

_memory = Path("/dev/shm")  # noqa: S108 - pytest makes a folder of its own in it
if (
    os.access(_memory, os.W_OK)
    and not os.statvfs(_memory).f_flag & os.ST_NOEXEC
    and shutil.disk_usage(_memory).free > 2 << 30
):
    # Sessions and stores wait for the disk after each change; memory keeps nobody waiting.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_memory))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell began the tests in the background: programs that they start would not hear Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The tests hold litellm to what halubot's own processes hold it to.
own_process.claim()

# Most tests fix what the comparison of words and values says; those of the verifier name it.
os.environ.setdefault("HALUBOT_VERIFIER", "none")

_refused: list[str] = []


def _is_local(host: object) -> bool:
    if not isinstance(host, str) or host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _audit(event: str, args: tuple[object, ...]) -> None:
    if event == "socket.getaddrinfo":
        host: object = args[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(args[1], tuple):
        host = args[1][0]
    else:
        return
    if not _is_local(host):
        _refused.append(str(host))
        raise OSError(f"tests have no network: {host!r} was refused")


sys.addaudithook(_audit)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects the tests without looking for garbage: nearly all that is made then remains."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With ``--dist loadfile`` all files that name litellm stay with one worker: loading it takes
    4 s."""
    if config.getvalue("dist") != "loadfile":
        return None

    @cache
    def group(file: str) -> str:
        return "litellm" if "litellm" in (config.rootpath / file).read_text("utf-8") else file

    scheduling: Any = LoadFileScheduling(config, log)
    scheduling._split_scope = lambda test: group(test.partition("::")[0])
    return scheduling


@pytest.fixture(scope="module", autouse=True)
def own_garbage() -> Iterator[None]:
    """Finds a file's garbage at its end: what is wrong with it fails no test of another. What then
    remains is not looked at again."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def litellm() -> None:
    """litellm is loaded, for tests that give a call little time: loading it takes seconds."""
    from halubot.models.litellm_door import load_litellm

    load_litellm()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that are not there yet. pytest looks through all of its own for a free number, which
    for thousands of tests takes longer and longer."""
    root = tmp_path_factory.mktemp("homes")
    return (root / str(number) for number in count())


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, homes: Iterator[Path]) -> Iterator[Path]:
    """An empty home, and none of halubot's variables; gives that home. Afterwards the methods that
    the test made known and the pace at which it asked providers are forgotten, and it fails if it
    looked for a machine other than this one, even if it hid the error."""
    _refused.clear()
    methods = dict(registry._registered)
    home = next(homes)
    home.mkdir()
    for name in [name for name in os.environ if name.startswith(("HALUBOT_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HALUBOT_VERIFIER", "none")
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    yield home
    registry._registered.clear()
    registry._registered.update(methods)
    limits.provider.cache_clear()
    assert not _refused, f"the test looked for {', '.join(_refused)}"
