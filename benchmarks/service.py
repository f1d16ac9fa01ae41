"""Time one answer of the service as LiteLLM's proxy asks for it, without a model.

    python -m benchmarks.service [--calls N]

A service with one reference of 40 sentences runs in a process of its own. The answer has eight
sentences, of which two say otherwise; each call has another number in it, so that nothing is known
from the call before. Prints the median, the 95th percentile and the slowest in ms, the first call
apart, beside a request for /healthz, which does nothing.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

PLACES = ["Harrow", "Selby", "Wick", "Alder", "Marsh", "Tarn", "Cole", "Ashby"]


def reference() -> str:
    """Forty sentences on eight bridges."""
    return " ".join(
        f"The {place} Bridge opened in {1880 + number}. It is {300 + number} metres long. It"
        f" crosses the river {place}. Its towers are made of sandstone. It was closed for"
        f" repairs in {1950 + number}."
        for number, place in enumerate(PLACES)
    )


def answer(call: int) -> str:
    """Eight sentences; the first two of them contradict the reference."""
    told = [f"The {PLACES[0]} Bridge opened in {1700 + call % 100}.", "It is 999 metres long."]
    told += [f"The {place} Bridge crosses the river {place}." for place in PLACES[2:]]
    return " ".join(told)


def milliseconds(client: httpx.Client, call: int) -> float:
    """How long the service takes for one answer."""
    body = {"input_type": "response", "texts": [answer(call)], "request_data": {}}
    begun = time.perf_counter()
    told = client.post("/beta/litellm_basic_guardrail_api", json=body).raise_for_status().json()
    took = 1000 * (time.perf_counter() - begun)
    assert told["action"] == "GUARDRAIL_INTERVENED", told
    return took


def measure(calls: int) -> None:
    """Measure so many calls and print."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bridges.txt")
        file.write_text(reference(), encoding="utf-8")
        command = [sys.executable, "-m", "halubot", "serve", "--port=0", f"--reference={file}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
            try:
                assert server.stdout is not None
                found = re.search(r"http://\S+", server.stdout.readline())
                assert found is not None
                with httpx.Client(base_url=found[0], timeout=60, trust_env=False) as client:
                    first = milliseconds(client, 0)
                    times = [milliseconds(client, call) for call in range(1, calls + 1)]
                    idle = []
                    for _ in range(calls):
                        begun = time.perf_counter()
                        client.get("/healthz")
                        idle.append(1000 * (time.perf_counter() - begun))
            finally:
                server.terminate()
    slow = statistics.quantiles(times, n=20)[-1]
    print(f"first {first:.0f} ms; then median {statistics.median(times):.1f} ms,", end=" ")
    print(f"95th percentile {slow:.1f} ms, slowest {max(times):.1f} ms;", end=" ")
    print(f"/healthz {statistics.median(idle):.1f} ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=100)
    measure(parser.parse_args().calls)


if __name__ == "__main__":
    main()
