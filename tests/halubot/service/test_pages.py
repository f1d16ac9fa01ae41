"""What the service answers, asked over HTTP."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from halubot import check, correct
from halubot.errors import UnreadableError
from halubot.inputs import Options
from halubot.render.captions import MEANINGS, VERDICTS
from halubot.report import Report
from halubot.service.http_server import read_token
from halubot.service.pages import Limits, description
from tests.halubot.service.conftest import PATIENCE, Served
from tests.halubot.service.holding import held

if TYPE_CHECKING:
    import httpx

TEXT = "Ada Lovelace was born in 1816. She wrote notes on the Analytical Engine."
REFERENCE = "Ada Lovelace was born in 1815. She wrote notes on the Analytical Engine."
BODY = {"text": TEXT, "references": [REFERENCE]}


def without_seconds(report: dict[str, Any]) -> dict[str, Any]:
    """A report whose bytes do not depend on time."""
    again = (report.get("correction") or {}).get("report")
    if again is not None:
        again["usage"]["seconds"] = 0
    return report | {"usage": report["usage"] | {"seconds": 0}}


def events(stream: str) -> list[tuple[str, Any]]:
    """The server-sent events of a stream: kind, data."""
    found = []
    for block in stream.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[0] != ":")
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_a_check_is_the_report_of_the_core(client: httpx.Client) -> None:
    answer = client.post("/v1/check", json=BODY)
    assert answer.status_code == 200
    report = check(TEXT, references=[REFERENCE])
    assert without_seconds(answer.json()) == without_seconds(json.loads(report.to_json()))
    assert Report.model_validate_json(answer.content).facts[0].verdict == "contradicted"


def test_a_correction_is_the_report_of_the_core(client: httpx.Client) -> None:
    answer = client.post("/v1/correct", json=BODY)
    assert answer.status_code == 200
    assert answer.json()["correction"]["text"] == TEXT.replace("1816", "1815")
    report = correct(TEXT, references=[REFERENCE])
    assert without_seconds(answer.json()) == without_seconds(json.loads(report.to_json()))


def test_events_are_streamed_and_end_with_the_report(client: httpx.Client) -> None:
    answer = client.post("/v1/correct?stream=true", json=BODY)
    assert answer.headers["content-type"].startswith("text/event-stream")
    told = events(answer.text)
    kinds = [kind for kind, _ in told]
    assert kinds[0] == "started"
    assert "fact_judged" in kinds
    assert kinds[-1] == "report"
    assert told[-1][1]["correction"]["text"] == TEXT.replace("1816", "1815")


def test_a_stream_of_a_check_that_fails_ends_with_the_reason(client: httpx.Client) -> None:
    answer = client.post("/v1/check?stream=true", json=BODY | {"sentences": ["Other words."]})
    ((kind, data),) = events(answer.text)
    assert kind == "problem"
    assert "sentence" in data["message"]


def test_a_client_that_leaves_its_stream_cancels_its_check(served: Served) -> None:
    with held() as method:
        client = served(Options(method="held"))
        with client.stream("POST", "/v1/check?stream=true", json=BODY):
            assert method.came.acquire(timeout=PATIENCE)
        assert method.stopped.acquire(timeout=PATIENCE)


def test_a_client_that_leaves_cancels_its_check(served: Served) -> None:
    with held() as method:
        client = served(Options(method="held"))
        body = json.dumps(BODY).encode()
        head = (
            f"POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1:{client.base_url.port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", client.base_url.port or 0)) as leaving:
            leaving.sendall(head.encode() + body)
            assert method.came.acquire(timeout=PATIENCE)
        assert method.stopped.acquire(timeout=PATIENCE)
        assert client.get("/healthz").json()["status"] == "ok"


def test_more_than_the_queue_holds_is_refused_with_when_to_try_again(served: Served) -> None:
    with held() as method, ExitStack() as stack:
        client = served(Options(method="held"), Limits(at_once=1, waiting=1))
        first, second = (
            stack.enter_context(client.stream("POST", "/v1/check?stream=true", json=BODY))
            for _ in range(2)
        )
        assert method.came.acquire(timeout=PATIENCE)
        assert client.get("/healthz").json() | {"version": ""} == {
            "status": "ok",
            "version": "",
            "running": 1,
            "waiting": 1,
        }
        refused = client.post("/v1/check", json=BODY)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert refused.json()["error"]["code"] == "busy"
        method.go.set()
        for one in (first, second):
            assert events(one.read().decode())[-1][0] == "report"
        assert client.get("/healthz").json()["waiting"] == 0


def test_a_check_ends_at_the_deadline_with_what_is_known(served: Served) -> None:
    with held():
        client = served(Options(method="held", deadline=0.05))
        report = client.post("/v1/check", json=BODY).json()
        assert "deadline" in str(report["problems"])


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"{", "JSON"),
        (b"[]", "object"),
        (b"{}", "text: Field required"),
        (b'{"text": ""}', "text: it is empty"),
        (b'{"text": 5}', "text:"),
        (b'{"text": "A.", "reference": []}', "reference:"),
        (b'{"text": "A.", "references": [" "]}', "references.0"),
        (b'{"text": "A.", "references": "/etc/passwd"}', "references:"),
        (b'{"text": "A.", "threshold": 2}', "threshold:"),
        (b'{"text": "A.", "sentences": ["B."]}', "sentence"),
        (b"\xff\xfe", "JSON"),
        (b'{"text": ' + b"[" * 100_000, "JSON"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(
    client: httpx.Client, body: bytes, why: str
) -> None:
    answer = client.post("/v1/check", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "invalid"
    assert why in answer.json()["error"]["message"]


def test_a_file_that_a_request_names_is_never_read(client: httpx.Client) -> None:
    report = client.post("/v1/check", json={"text": TEXT, "references": ["/etc/passwd"]}).json()
    assert report["sources"][0]["text"] == "/etc/passwd"


def test_a_body_beyond_the_limit_is_refused_before_it_is_read(served: Served) -> None:
    client = served(None, Limits(body=1000))
    answer = client.post("/v1/check", json={"text": "A. " * 1000})
    assert answer.status_code == 413
    assert "1,000 bytes" in answer.json()["error"]["message"]


def test_a_length_beyond_the_limit_is_refused_before_anything_came(served: Served) -> None:
    client = served(None, Limits(body=1000))
    with socket.create_connection((client.base_url.host, client.base_url.port or 80)) as line:
        line.settimeout(PATIENCE)
        line.sendall(
            b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 2000\r\n\r\n"
        )
        assert line.recv(100).startswith(b"HTTP/1.1 413 ")


def test_a_form_of_another_site_is_refused(client: httpx.Client) -> None:
    answer = client.post(
        "/v1/check", content=json.dumps(BODY), headers={"Content-Type": "text/plain"}
    )
    assert answer.status_code == 415


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "localhost:1"}, 200),
        ({"Host": "["}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Origin": ""}, 403),
        ({"Host": "evil.example@127.0.0.1"}, 403),
        ({"Host": "127.0.0.1/evil.example"}, 403),
        ({"Host": "127.0.0.1#evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "[::1]:80"}, 200),
    ],
)
def test_only_this_machine_by_its_own_name_is_answered(
    client: httpx.Client, headers: dict[str, str], status: int
) -> None:
    assert client.get("/healthz", headers=headers).status_code == status


def test_with_a_token_data_is_given_to_who_has_it(served: Served) -> None:
    client = served(token="t" * 20)
    for path in ("/", "/page.js", "/page.css", "/openapi.json", "/healthz"):
        assert client.get(path).status_code == 200
    refused = client.post("/v1/check", json=BODY)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert client.get("/v1/sources").status_code == 401
    for wrong in ("Bearer wrong", "Bearer", "Basic " + "t" * 20, "t" * 20, "Bearer é"):
        headers = {b"Authorization": wrong.encode()}
        assert client.get("/v1/sources", headers=headers).status_code == 401
    for right in ({"Authorization": "Bearer " + "t" * 20}, {"x-api-key": "t" * 20}):
        assert client.post("/v1/check", json=BODY, headers=right).status_code == 200


def test_a_token_is_read_from_a_small_regular_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("0123456789abcdef\n")
    assert read_token(file) == "0123456789abcdef"
    file.write_text("a" * 1_000_000)
    with pytest.raises(UnreadableError, match="larger"):
        read_token(file)
    with pytest.raises(UnreadableError, match="not a regular file"):
        read_token(tmp_path)


def test_unknown_addresses_and_methods_are_errors_in_json(client: httpx.Client) -> None:
    for method, path, status in (
        ("GET", "/nowhere", 404),
        ("GET", "/v1/check", 405),
    ):
        answer = client.request(method, path)
        assert answer.status_code == status
        assert answer.json()["error"]["message"]


def test_the_description_is_valid_and_describes_a_report(client: httpx.Client) -> None:
    told = client.get("/openapi.json").json()
    assert told == description()
    report = client.post("/v1/correct", json=BODY).json()
    schema = {"$ref": "#/components/schemas/Report", "components": told["components"]}
    jsonschema.validate(report, schema)
    for path, methods in told["paths"].items():
        for method in methods:
            answer = client.request(method, path)
            assert answer.status_code != 405, (method, path)


def test_the_page_has_the_words_of_all_front_ends(client: httpx.Client) -> None:
    page, script = client.get("/").text, client.get("/page.js").text
    for verdict, word in VERDICTS.items():
        assert f'<mark class="{verdict}">{word}</mark> {MEANINGS[verdict]}' in page
    assert VERDICTS["not_checked"] not in script


def test_the_page_loads_nothing_from_other_machines(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for path in ("/", "/page.js", "/page.css"):
        text = client.get(path).text
        assert "http://" not in text
        assert "https://" not in text
        assert "innerHTML" not in text


def address_of(client: httpx.Client) -> tuple[str, int]:
    return "127.0.0.1", client.base_url.port or 0


def spoken(client: httpx.Client, data: bytes) -> bytes:
    """All that the service answers to these bytes until it closes the connection."""
    with socket.create_connection(address_of(client), PATIENCE) as asking:
        found = b""
        with suppress(ConnectionError):  # it may close before all is sent
            asking.sendall(data)
            while piece := asking.recv(65536):
                found += piece
        return found


def test_two_origins_are_both_looked_at(client: httpx.Client) -> None:
    own = str(client.base_url).rstrip("/").encode()
    head = b"GET /healthz HTTP/1.1\r\nHost: " + own.removeprefix(b"http://") + b"\r\n"
    head += b"Connection: close\r\nOrigin: " + own + b"\r\n"
    assert b" 200 " in spoken(client, head + b"\r\n").splitlines()[0]
    refused = spoken(client, head + b"Origin: http://evil.example\r\n\r\n")
    assert b" 403 " in refused.splitlines()[0]


def test_no_page_of_another_site_may_load_an_answer(client: httpx.Client) -> None:
    for answer in (
        client.post("/v1/check", json=BODY),
        client.get("/nowhere"),
        client.get("/healthz", headers={"Host": "evil.example"}),
    ):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 1_000_000,
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: a\r\n" * 200_000,
        b"\x16\x03\x01" + b"\xff" * 1_000_000,
    ],
    ids=["long", "many", "tls"],
)
def test_a_head_without_an_end_is_cut_off(client: httpx.Client, data: bytes) -> None:
    assert spoken(client, data)[:12] in (b"", b"HTTP/1.1 400")
    assert client.get("/healthz").status_code == 200


ASKS = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


BEGUN = (
    b"POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: 9999\r\n\r\n{"
)
"""A request whose body never comes whole."""


def test_a_body_that_is_late_is_refused_and_its_connection_closed(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("halubot.service.pages.BODY_SECONDS", 0.0)
    told = spoken(client, BEGUN).lower()
    assert told.startswith(b"http/1.1 408")
    assert b"\r\nconnection: close\r\n" in told


def test_a_length_beside_a_transfer_encoding_is_refused(client: httpx.Client) -> None:
    head = b"POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    both = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + ASKS
    told = spoken(client, head + both)
    assert told.startswith(b"HTTP/1.1 400")
    assert told.count(b"HTTP/1.1") == 1
