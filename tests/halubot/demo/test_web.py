"""The recorded questions that `halubot demo --web` checks."""

from __future__ import annotations

from halubot.demo.web import RecordedWeb, load


def test_each_page_and_each_sentence_is_there() -> None:
    recorded = load()
    assert len(recorded) == 20
    for one in recorded:
        assert len(one.pages) == 3
        assert sum(one.wrong) == 2
        assert len(one.sentences) == 5


def test_no_connection_is_made() -> None:
    web = RecordedWeb(load())
    assert web.find_kept(web.settings.named[0], "x") is None
    web.close()
