"""No network: while it is refused, every attempt to reach another machine fails."""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

from halubot.errors import HalubotError

_state = {"refused": False, "watched": False}

_TELEMETRY: Final = "ORT_DISABLE_TELEMETRY"


class NetworkRefusedError(HalubotError):
    """Something reached for the network although it was told not to."""


@contextmanager
def network_refused() -> Iterator[None]:
    """Inside, a look-up of or a connection to another machine raises NetworkRefusedError, in
    every thread and in methods of other packages too; this machine stays within reach."""
    if not _state["watched"]:
        # A hook cannot be taken out again, so there is one, which looks whether it is to act.
        sys.addaudithook(_audit)
        _state["watched"] = True
    before, _state["refused"] = _state["refused"], True
    try:
        yield
    finally:
        _state["refused"] = before


def is_refused() -> bool:
    """Return True if the network is refused now."""
    return _state["refused"]


def open_onnx(model: str | bytes) -> Any:
    """Return a session of ONNX Runtime for a model, on one thread of the processor. What goes wrong
    is raised and not printed.

    Version 1.32 keeps events of each session in the home folder, to be sent to its maker from C++,
    where no hook sees it: that is turned off, which it heeds on import."""
    before = os.environ.get(_TELEMETRY)
    os.environ[_TELEMETRY] = "1"
    try:
        onnxruntime = import_module("onnxruntime")
    finally:
        if before is None:
            del os.environ[_TELEMETRY]
        else:
            os.environ[_TELEMETRY] = before
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def on_this_machine(host: str) -> bool:
    """Return True if a name or an address means the machine itself, whatever its case or
    brackets."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    # ::ffff:127.0.0.1 is this machine too.
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def _audit(event: str, args: tuple[object, ...], state: Mapping[str, bool] = _state) -> None:
    # It is called until the process ends, when the names of this module are gone.
    if not state["refused"] or not event.startswith("socket."):
        return
    host: object = None
    if event == "socket.getaddrinfo":
        host = args[0]
    # The address of a Unix socket is a path, and stays on this machine.
    elif event in ("socket.connect", "socket.sendto") and isinstance(args[1], tuple):
        host = args[1][0]
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host and not on_this_machine(str(host)):
        raise NetworkRefusedError(f"the network is refused (--offline), and {host} was called")
