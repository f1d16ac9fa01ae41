"""`network_refused` keeps every attempt inside this machine.

Each test runs in a Python of its own, where the tests' own guard against the network is not.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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

WORK = """
with network_refused():
    assert refused(connect), "a connection"
    assert refused(look_up), "names are not even looked up"

found = []
with network_refused():
    thread = threading.Thread(target=lambda: found.append(refused(connect)))
    thread.start()
    thread.join()
assert found == [True], "threads are held too"

with socket.create_server(("127.0.0.1", 0)) as server, network_refused():
    socket.create_connection(server.getsockname()).close()  # this machine stays within reach

with network_refused():
    with network_refused():
        pass
    assert refused(look_up), "blocks may be nested"
assert not refused(look_up), "nothing is refused after the last"
"""


def test_inside_the_block() -> None:
    subprocess.run([sys.executable, "-c", HEAD + WORK], check=True)


def test_the_runtime_of_the_networks_keeps_nothing_to_be_sent(tmp_path: Path) -> None:
    code = "import halubot; halubot.check('Ada was born in 1816.', references=['She was not.'])"
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    subprocess.run(
        [sys.executable, "-c", code], env={**environment, "HOME": str(tmp_path)}, check=True
    )
    assert not list(tmp_path.rglob("*"))
