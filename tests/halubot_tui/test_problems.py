"""Problems in the words of the app."""

from __future__ import annotations

import pytest

from halubot.report import Problem, Report, Threshold
from halubot_tui.problems import in_app_words, problems


def report(*found: tuple[str, str]) -> Report:
    told = tuple(Problem(what=what, why=why) for what, why in found)
    return Report(text="x", method="m", engine="x", threshold=Threshold(value=0.5), problems=told)


def test_a_reason_is_told_once() -> None:
    found = report(
        ("3 of 5 facts were not judged", "no time left; give it more with --deadline"),
        ("2 passages were not read", "no time left; give it more with --deadline"),
    )
    said = "no time left; allow more seconds a check in the settings"
    assert problems(found) == (f"3 of 5 facts were not judged, 2 passages were not read: {said}",)
    assert problems(report()) == ()


def test_why_the_whole_check_failed_is_not_told_twice() -> None:
    found = report(("the check was failed", "m at here: the key was refused; check X_KEY"))
    assert problems(found, "m at here: the key was refused; check X_KEY") == ()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("asking needs a model: name one with --model", "choose one in the settings"),
        ("no time left; give it more with --deadline", "seconds a check in the settings"),
        ("its price is not known; limit the calls with --max-calls instead", "in the settings"),
        ("nobody answers; start the server, or give its address with --api-base", "the settings"),
        (
            "nothing to compare with: give --sample, --reference, --knowledge, --web wikipedia,"
            " or a model",
            "or choose a model",
        ),
        ("the network is refused (--offline), and x was called", "allows no network"),
    ],
)
def test_settings_of_the_app_stand_for_options_of_the_command_line(told: str, said: str) -> None:
    assert said in in_app_words(told)
    assert "--" not in in_app_words(told)
