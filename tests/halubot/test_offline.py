"""`network_refused` keeps every attempt inside this machine.

Each test runs in a Python of its own, where the tests' own guard against the network is not.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAD = """
import socket, threading
from halubot.offline import NetworkRefusedError, network_refused

def refused(attempt):
    try:
        attempt()
    except NetworkRefusedError as error:
        return "--offline" in str(error)
    except OSError:
        pass
    return False

def connect():
    socket.create_connection(("192.0.2.1", 80), timeout=0.001)

def look_up():
    socket.getaddrinfo("192.0.2.1", 80)
"""

CASES = {
    "a connection is refused": """
with network_refused():
    assert refused(connect)
""",
    "names are not even looked up": """
with network_refused():
    assert refused(look_up)
""",
    "threads are held too": """
found = []
with network_refused():
    thread = threading.Thread(target=lambda: found.append(refused(connect)))
    thread.start()
    thread.join()
assert found == [True]
""",
    "this machine stays within reach": """
with socket.create_server(("127.0.0.1", 0)) as server, network_refused():
    socket.create_connection(server.getsockname()).close()
""",
    "blocks may be nested, and nothing is refused after the last": """
with network_refused():
    with network_refused():
        pass
    assert refused(look_up)
assert not refused(look_up)
""",
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_inside_the_block(case: str) -> None:
    subprocess.run([sys.executable, "-c", HEAD + case], check=True)


def test_the_runtime_of_the_networks_keeps_nothing_to_be_sent(tmp_path: Path) -> None:
    code = "import halubot; halubot.check('Ada was born in 1816.', references=['She was not.'])"
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    subprocess.run(
        [sys.executable, "-c", code], env={**environment, "HOME": str(tmp_path)}, check=True
    )
    assert not list(tmp_path.rglob("*"))
