"""Which answers belong to the same question.

An answer belongs to the message it replies to, through any chain of replies; else to the last
message before it that it can be told to answer: in a thread or within two minutes, if that message
mentions the bot or shares a word of substance with the answer. Questions with the same text, asked
within some minutes in the same channel, are one question if other bots answer them.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz

from halubot_bots.answer_parts import content_words

NEAR_SECONDS: Final = 120.0
"""Seconds within which a message that is no reply may answer the one before."""

AGAIN_SECONDS: Final = 600.0
"""Seconds within which the same text is the same question."""

SAME_TEXT: Final = 80.0
"""How alike two questions must be in writing, of 100, beside having the same words of substance."""

POSTS: Final = 100
"""Messages of a channel that are remembered."""

CHANNELS: Final = 2_000
"""Channels that are remembered."""

HOPS: Final = 10
"""Replies to replies that are followed."""


@dataclass(frozen=True, slots=True)
class Post:
    """A message as far as it matters here. ``answers`` says that its author is a watched bot,
    ``at`` is in seconds, ``thread`` that it stands in a thread."""

    id: int
    author: int
    text: str
    at: float
    answers: bool = False
    reply_to: int | None = None
    mentions: frozenset[int] = frozenset()
    thread: bool = False


class Channels:
    """The last messages of each channel, and what answers what."""

    def __init__(self) -> None:
        self._channels: OrderedDict[int, OrderedDict[int, Post]] = OrderedDict()
        self._asked: dict[int, int] = {}  # the question of each answer

    def note(self, channel: int, post: Post) -> None:
        """Remember a message, or its new version."""
        posts = self._channels.setdefault(channel, OrderedDict())
        self._channels.move_to_end(channel)
        while len(self._channels) > CHANNELS:
            oldest, forgotten = next(iter(self._channels.items()))
            self.forget(oldest, *list(forgotten))
            del self._channels[oldest]
        posts[post.id] = post
        if len(posts) > POSTS:
            self.forget(channel, next(iter(posts)))  # not the least: an old one may be new here

    def forget(self, channel: int, *messages: int) -> None:
        """Remember some messages no more."""
        for message in messages:
            self._posts(channel).pop(message, None)
            self._asked.pop(message, None)

    def forget_author(self, person: int) -> None:
        """Remember nothing that a person wrote."""
        for posts in self._channels.values():
            for one in [one for one in posts.values() if one.author == person]:
                del posts[one.id]

    def has(self, channel: int, message: int) -> bool:
        """Return True if a message is remembered."""
        return message in self._posts(channel)

    def has_same(self, channel: int, post: Post) -> bool:
        """Return True if a message is remembered as it is."""
        return self._posts(channel).get(post.id) == post

    def question_of(self, channel: int, answer: Post) -> Post | None:
        """Return the question that an answer belongs to, and remember it; None if none can be
        told."""
        posts = self._posts(channel)
        question = _replied(posts, answer) if answer.reply_to else _before(posts, answer)
        self._asked.pop(answer.id, None)
        if question is not None:
            question = self._first_asked(posts, question, answer)
            self._asked[answer.id] = question.id
            # The last answer of a bot counts; the others need no place.
            others = (one for one in posts.values() if one.author == answer.author)
            same = sorted(o.id for o in others if self._asked.get(o.id) == question.id)
            self.forget(channel, *same[:-1])
        return question

    def find_questions(self, channel: int) -> None:
        """Find the questions of all answers of a channel that are remembered."""
        for post in sorted(self._posts(channel).values(), key=lambda one: one.id):
            if post.answers:
                self.question_of(channel, post)

    def answers_to(self, channel: int, question: int) -> list[Post]:
        """Return the answers to a question, the last of each author, in order."""
        found = (p for p in self._posts(channel).values() if self._asked.get(p.id) == question)
        return sorted((one for one in found if one.text.strip()), key=lambda one: one.id)

    def _posts(self, channel: int) -> OrderedDict[int, Post]:
        return self._channels.get(channel, OrderedDict())

    def _first_asked(self, posts: OrderedDict[int, Post], question: Post, answer: Post) -> Post:
        """Return the first message that asked the same a short time before, if the author of the
        answer has not answered it and nobody answered the question itself; else the question."""
        own = _bare(question.text)
        words = content_words(own)
        others = {self._asked.get(one.id) for one in posts.values() if one.id != answer.id}
        if question.id in others:
            return question  # it has answers of its own
        for post in sorted(posts.values(), key=lambda one: one.id):
            if post.answers or post.id >= question.id or question.at - post.at > AGAIN_SECONDS:
                continue
            # "The capital of Austria" is written almost as "of Australia": the words must be the
            # same.
            other = _bare(post.text)
            if not words or content_words(other) != words or fuzz.ratio(own, other) < SAME_TEXT:
                continue
            answered = {
                one.author
                for one in posts.values()
                if one.id != answer.id and self._asked.get(one.id) == post.id
            }
            if answer.author not in answered:
                return post
        return question


def _replied(posts: OrderedDict[int, Post], answer: Post) -> Post | None:
    """Return the message of a person that an answer replies to, through other answers."""
    post = answer
    for _ in range(HOPS):
        if post.reply_to is None:
            return _before(posts, post) if post.answers else post
        found = posts.get(post.reply_to)
        if found is None:
            return None
        if not found.answers:
            return found
        post = found
    return None


def _before(posts: OrderedDict[int, Post], answer: Post) -> Post | None:
    """Return the message of a person before an answer that it can be told to answer: that mentions
    its author, else that shares most words with it; of several one that asks, else the last."""
    words = content_words(answer.text)
    best: tuple[bool, int, bool, int] = (False, 0, False, 0)
    for post in posts.values():
        near = answer.thread or answer.at - post.at <= NEAR_SECONDS
        if post.id < answer.id and not post.answers and near:
            shared = len(words & content_words(post.text))
            if (called := answer.author in post.mentions) or shared:
                best = max(best, (called, shared, "?" in post.text, post.id))
    return posts.get(best[-1])


def _bare(text: str) -> str:
    """Return a text without mentions and punctuation, in lower case."""
    words = (word for word in text.casefold().split() if not word.startswith(("<@", "@")))
    return " ".join("".join(c for c in word if c.isalnum()) for word in words).strip()
