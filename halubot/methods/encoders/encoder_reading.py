"""The judge of one check: what it read in each source, with places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from halubot.compare.nearby import Nearby
from halubot.concurrency import aside
from halubot.llm_calls.canaries import Canary, sentences_of
from halubot.llm_calls.verification import Stances
from halubot.models.local.encoder_judge import Claim, EncoderJudge, Reading
from halubot.reliability import NOTHING, Tally
from halubot.report import Fact, Source
from halubot.text import Document

SETS: Final = 5
"""Sets of canaries of a reference: there may be only one. Samples are many and have one each."""


class EncoderReading:
    """A judge at work on one message. ``readings`` are what it said, by source and fact, ``tally``
    what it said of canaries (`halubot.llm_calls.canaries`)."""

    def __init__(self, judge: EncoderJudge, message: Document) -> None:
        self.readings: dict[str, dict[int, Reading]] = {}
        self.tally = NOTHING
        self._judge = judge
        self._message = message
        self._nearby = Nearby(message)

    async def stances(self, source: Source, facts: Sequence[Fact]) -> Stances:
        """Return the stance of a source on each fact, by the fact's own index. A reference of which
        the judge is not sure is left out, for what words found in it holds then. Raises
        LocalModelError if the model cannot be loaded or fails."""
        readings, tally = await aside(partial(self._read, source, facts))
        self.tally += tally
        self.readings.setdefault(source.id, {}).update(readings)
        return Stances(
            {
                fact: one.stance
                for fact, one in readings.items()
                if one.failure is None and (source.kind == "sample" or one.stance != "silent")
            },
            {fact: one.failure for fact, one in readings.items() if one.failure is not None},
        )

    def _read(self, source: Source, facts: Sequence[Fact]) -> tuple[Mapping[int, Reading], Tally]:
        (text,) = self._nearby.read([source.text or ""])
        claims = [self._claim(fact) for fact in facts]
        sets = 1 if source.kind == "sample" else SETS
        asked = [str(fact.triple) for fact in facts]
        canaries = sentences_of(text.document.plain, asked, sets)
        readings = self._judge.read(text, [*claims, *map(_claim_of_canary, canaries)])
        own, of_canaries = readings[: len(claims)], readings[len(claims) :]
        tally = NOTHING
        for canary, one in zip(canaries, of_canaries, strict=True):
            if one.doubt is not None:  # of a source that shares no word with it no model is asked
                tally = tally.counted(canary.right, one.stance == "supports")
        return {fact.index: one for fact, one in zip(facts, own, strict=True)}, tally

    def _claim(self, fact: Fact) -> Claim:
        """Return a fact as a claim. Names stand in its triple that its sentence has pronouns for,
        and its sentence has the words of the message."""
        place = self._message.sentences[fact.sentences[0]] if fact.sentences else (0, 0)
        sentence = self._message.plain[slice(*place)]  # without markup, at the same places
        own = tuple(span for span in fact.spans if place[0] <= span[0] and span[1] <= place[1])
        return Claim(str(fact.triple) or sentence, sentence, place, own or (place,))


def _claim_of_canary(canary: Canary) -> Claim:
    """Return a canary as a claim, which stands by itself and nowhere in the message."""
    whole = (0, len(canary.text))
    return Claim(canary.text, canary.text, whole, (whole,))
