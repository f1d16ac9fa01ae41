"""The page for people, in a real browser. It is skipped without Chromium and playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from halubot.inputs import Options
from tests.halubot.service.holding import held

if TYPE_CHECKING:
    from tests.halubot.service.conftest import Served

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine"),
]


@pytest.fixture
def browser() -> Iterator[Any]:
    """Chromium without a screen; fails a test whose page reports an error."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as play:
        made = play.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield made
        made.close()


def opened(browser: Any, served: Served, errors: list[str], **settings: Any) -> Any:
    """The page of a service, at the width of a telephone."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(str(served(**settings).base_url))
    return page


def test_a_text_is_pasted_checked_inspected_and_corrected(browser: Any, served: Served) -> None:
    errors: list[str] = []
    page = opened(browser, served, errors)
    page.fill("#text", "😀 Ada Lovelace was born in 1816. <b>She liked cats.</b>")
    page.fill("#sources textarea", "Ada Lovelace was born in 1815.")
    page.click("#correct")
    page.wait_for_selector("#correction:not([hidden])")
    assert page.inner_text("mark.contradicted >> nth=0") == "1816"
    assert page.inner_text("#facts li >> nth=0").split()[:3] == ["✗", "1816", "contradicted"]
    assert "Ada Lovelace was born in 1815." in page.inner_text("#facts li >> nth=0")
    assert page.inner_text("#corrected ins") == "1815"
    assert page.locator("#marked b").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert errors == []


def test_a_check_can_be_stopped(browser: Any, served: Served) -> None:
    errors: list[str] = []
    with held() as method:
        page = opened(browser, served, errors, options=Options(method="held"))
        page.fill("#text", "Held.")
        page.click("#check")
        assert method.came.acquire(timeout=60)
        page.click("#stop")
        assert method.stopped.acquire(timeout=60)
        page.wait_for_function("document.querySelector('#state').textContent == 'Stopped.'")
    assert errors == []


def test_a_service_with_a_token_asks_for_it(browser: Any, served: Served) -> None:
    errors: list[str] = []
    options = Options(references=["One text."], knowledge=[])
    page = opened(browser, served, errors, token="t" * 20, options=options)
    page.click("#example")
    page.click("#check")
    page.wait_for_selector("#state.bad")
    assert "access token" in page.inner_text("#state")
    page.fill("#token", "t" * 20)
    page.click("#check")
    page.wait_for_selector("#facts li")
    assert page.locator("mark.contradicted").count() > 0
    page.wait_for_selector("#always:not([hidden])")
    assert page.inner_text("#always").startswith("Every text is compared with a text.")
    assert errors == []
