"""What several repeats say together, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from halubot.methods.judges import Jury, Reading, SentenceWord


def word(hallucinated: bool, passage: str = "", why: str = "so") -> SentenceWord:
    return SentenceWord(passage=passage, hallucinated="yes" if hallucinated else "no", why=why)


def sca(
    *repeats: tuple[Mapping[int, bool], bool | None],
    sentences: int = 3,
    on_question: bool | None = True,
    as_published: bool = False,
) -> Jury:
    """What each repeat said of the sentences, and its last word."""
    readings = [
        Reading(
            last,
            "" if last is not None else "no closing",
            sentences={index: word(said) for index, said in words.items()},
            missing={i: "left out" for i in range(sentences) if i not in words},
            on_question=on_question,
        )
        for words, last in repeats
    ]
    return Jury(
        sentences,
        readings,
        {},
        by_sentence=True,
        as_published=as_published,
    )


def scores(jury: Jury, threshold: float = 0.5) -> list[float | None]:
    return [sentence.score for sentence in jury.sentences(threshold)]


def verdicts(jury: Jury, threshold: float = 0.5) -> list[str]:
    return [sentence.verdict for sentence in jury.sentences(threshold)]


@pytest.mark.parametrize(
    ("words", "on_question", "last", "ours", "published"),
    [
        ({0: False}, True, False, False, False),
        ({0: False}, True, True, True, True),
        ({0: True}, True, False, True, False),
        ({0: False}, False, False, True, False),
        ({0: True}, None, None, True, None),
        ({0: False}, None, None, None, None),
    ],
)
def test_judges_forget_in_their_last_word_what_they_said(
    words: dict[int, bool],
    on_question: bool | None,
    last: bool | None,
    ours: bool | None,
    published: bool | None,
) -> None:
    def jury(as_published: bool) -> Jury:
        return sca((words, last), sentences=1, on_question=on_question, as_published=as_published)

    assert jury(False).verdicts == [ours]
    assert jury(True).verdicts == [published]
