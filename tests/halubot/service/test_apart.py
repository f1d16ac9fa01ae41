"""The service with checks in processes of their own: one that hangs is killed, others go on."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from halubot.inputs import Options
from halubot.service.http_server import Guard
from halubot.service.pages import Limits, Service
from tests.halubot.service.conftest import running_at

if TYPE_CHECKING:
    import httpx

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="it stops processes by signals"),
    pytest.mark.slow,
]

BODY = {"text": "Ada was born in 1816.", "references": ["Ada was born in 1815."]}


@pytest.fixture
def service() -> Iterator[tuple[Service, httpx.Client]]:
    service = Service(Options(deadline=2.0), Limits(), apart=True)
    app = Guard(service.app(), token=None, host="127.0.0.1")
    with ExitStack() as ending, running_at(app, ending) as client:
        yield service, client


def test_a_check_that_hangs_holds_up_no_other(service: tuple[Service, httpx.Client]) -> None:
    own, client = service
    assert client.post("/v1/check", json=BODY).json()["facts"][0]["verdict"] == "contradicted"
    assert own._workers is not None
    (pid,) = own._workers.pids
    os.kill(pid, signal.SIGSTOP)
    found: list[httpx.Response] = []
    hangs = threading.Thread(target=lambda: found.append(client.post("/v1/check", json=BODY)))
    hangs.start()
    other = client.post("/v1/correct", json=BODY).json()
    assert other["correction"]["text"] == "Ada was born in 1815." or other["problems"]
    hangs.join()
    answers = [found[0].json(), other]
    cut = [one for one in answers if one["problems"]]
    assert len(cut) == 1
    assert "deadline of 2 s" in cut[0]["problems"][0]["why"]
    assert not cut[0]["facts"]
    assert client.post("/v1/check", json=BODY).json()["facts"]
