"""Which answers belong to the same question."""

from __future__ import annotations

from halubot_bots.questions import NEAR_SECONDS, POSTS, Channels, Post

BEN, EVE, ALPHA, BETA, GAMMA = 1, 2, 11, 12, 13
ASKED = "When was Ada Lovelace born?"


class Talk:
    """A channel; posts are numbered and a second apart."""

    def __init__(self, *, thread: bool = False) -> None:
        self.channels = Channels()
        self.thread = thread
        self.count = 0
        self.now = 0.0

    def post(self, author: int, text: str, reply_to: int | None = None, *mentions: int) -> int:
        self.count += 1
        self.now += 1
        who, told = author > 10, frozenset(mentions)
        made = Post(self.count, author, text, self.now, who, reply_to, told, self.thread)
        self.channels.note(1, made)
        if made.answers:
            self.channels.question_of(1, made)
        return made.id

    def answers(self, question: int) -> list[int]:
        return [one.id for one in self.channels.answers_to(1, question)]


def test_replies_to_a_question_and_to_its_answers() -> None:
    talk = Talk()
    asked = talk.post(BEN, ASKED)
    first = talk.post(ALPHA, "1815", asked)
    second = talk.post(BETA, "No, 1816.", first)
    assert talk.answers(asked) == [first, second]


def test_without_a_reply_an_answer_needs_a_sign_that_it_is_one() -> None:
    talk = Talk()
    asked = talk.post(BEN, ASKED, None, ALPHA)
    told = talk.post(ALPHA, "1815")  # it was mentioned
    named = talk.post(BETA, "Lovelace was born in 1816.")  # it speaks of the same
    talk.post(GAMMA, "Now playing: Bohemian Rhapsody (1975)")
    assert talk.answers(asked) == [told, named]


def test_what_others_say_in_between_is_passed_over() -> None:
    talk = Talk()
    asked = talk.post(BEN, ASKED)
    talk.post(EVE, "lol nobody knows when Ada Lovelace was born")
    answer = talk.post(ALPHA, "Ada Lovelace was born in 1815.")
    assert talk.answers(asked) == [answer]


def test_late_answers_count_in_threads_alone() -> None:
    for thread in (False, True):
        talk = Talk(thread=thread)
        asked = talk.post(BEN, ASKED)
        talk.now += NEAR_SECONDS
        answer = talk.post(ALPHA, "Ada was born in 1815.")
        assert talk.answers(asked) == ([answer] if thread else [])


def test_of_two_questions_an_answer_has_the_one_whose_words_it_repeats() -> None:
    talk = Talk()
    born = talk.post(BEN, "When was Einstein born?")
    published = talk.post(EVE, "When was Einstein's theory of relativity published?")
    first = talk.post(ALPHA, "Einstein was born in 1879.")
    second = talk.post(BETA, "Einstein published relativity in 1905.")
    assert (talk.answers(born), talk.answers(published)) == ([first], [second])


def test_of_many_answers_of_one_bot_the_last_counts_and_none_pushes_the_question_out() -> None:
    talk = Talk()
    asked = talk.post(BEN, ASKED)
    other = talk.post(BETA, "1816", asked)
    for _ in range(3 * POSTS):
        last = talk.post(ALPHA, "1815", asked)
    assert talk.answers(asked) == [other, last]


def test_the_same_question_to_two_bots_is_one() -> None:
    talk = Talk()
    asked = talk.post(BEN, f"<@11> {ASKED}", None, ALPHA)
    first = talk.post(ALPHA, "1815")
    talk.post(BEN, f"<@12> {ASKED.lower()}", None, BETA)
    second = talk.post(BETA, "1816")
    assert talk.answers(asked) == [first, second]


def test_questions_that_only_look_alike_are_two() -> None:
    talk = Talk()
    asked = talk.post(BEN, "What is the capital of Austria?")
    vienna = talk.post(ALPHA, "Vienna", asked)
    other = talk.post(BEN, "What is the capital of Australia?")
    canberra = talk.post(BETA, "Canberra", other)
    assert (talk.answers(asked), talk.answers(other)) == ([vienna], [canberra])


def test_a_question_asked_again_has_answers_of_its_own() -> None:
    talk = Talk()
    asked = talk.post(BEN, ASKED)
    before = [talk.post(ALPHA, "1815", asked), talk.post(BETA, "1815", asked)]
    again = talk.post(EVE, ASKED)
    after = [talk.post(bot, "1815", again) for bot in (ALPHA, BETA, GAMMA)]
    assert (talk.answers(asked), talk.answers(again)) == (before, after)


def test_what_is_forgotten_is_no_answer_and_memory_is_bounded() -> None:
    talk = Talk()
    asked = talk.post(BEN, ASKED)
    answer = talk.post(ALPHA, "1815", asked)
    talk.channels.forget(1, answer)
    assert talk.answers(asked) == []
    for _ in range(2 * POSTS):
        talk.post(EVE, "hm")
    assert not talk.channels.has(1, asked)
    talk.channels.forget_author(EVE)
    assert not talk.channels.has(1, talk.count)
