"""Facts confirmed by the triples of a sample, fact by fact, as GCA's repository does it.

The paper verifies facts first "by the method of SelfCheckGPT", to know which are well supported;
its code asks for each fact and each sample whether the triples of the sample support it.

Source: Fang et al., "Zero-resource Hallucination Detection for Text Generation via Graph-based
Contextual Knowledge Triples Modeling" (AAAI 2025), section 3.4, and its repository.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from halubot.concurrency import every
from halubot.llm_calls.talk import Fields, Talk
from halubot.llm_calls.verification import state_triple
from halubot.report import Triple


class Supported(BaseModel):
    """Whether triples support a fact."""

    supported: Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The indexes of the facts that are supported; ``lost`` has why others were not asked about."""

    facts: frozenset[int]
    lost: Mapping[int, str]


async def confirm_facts(
    talk: Talk, facts: Mapping[int, Triple], triples: Sequence[Triple]
) -> Confirmed:
    """Which facts some triples support, by one call a fact, all at once. Without triples none, and
    no call. Raises SettingError for a prompt that is broken."""
    shown = [state_triple(triple) for triple in triples]

    async def one(index: int) -> tuple[int, bool, str | None]:
        fields: Fields = {"triples": shown, "fact": state_triple(facts[index])}
        answer = await talk.ask("gca-supports", Supported, fields)
        if answer.value is None or answer.reason is not None:
            return index, False, answer.reason or "the judge gave no answer"
        return index, answer.value.supported == "yes", None

    said = await every(one(index) for index in facts) if shown else []
    return Confirmed(
        frozenset(index for index, holds, _ in said if holds),
        {index: why for index, _, why in said if why is not None},
    )
