"""`consensus`, the embedded engine: no model, no download, no network.

Facts are extracted by rules. Each is compared with every sample and every reference, which
supports it, contradicts it, or is silent; and its words are looked for in all of them. Both
together make its score (`halubot.methods.consensus.source_odds`,
`halubot.methods.consensus.word_scores`). A rank comes half
from that and half from the level of the message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from halubot.events import Event, Progress
from halubot.methods.case_facts import by_rules
from halubot.methods.consensus.comparison import Comparison
from halubot.methods.consensus.decision import judge_all
from halubot.methods.consensus.word_scores import FITTED_ON
from halubot.methods.registry import Case, Size
from halubot.report import Threshold


class Consensus:
    """The method object of `consensus`."""

    name = "consensus"
    summary = "facts by rules, compared with samples and references; no model needed"
    needs: tuple[str, ...] = ("samples", "references")
    needs_all = False
    source = "halubot's own"
    default_threshold = Threshold(value=0.5, fitted_on=FITTED_ON)

    def calls(self, size: Size) -> int:
        """Always 0."""
        return 0

    def judge(self, case: Case) -> Iterator[Event]:
        """Facts, then the verdict on each fact and sentence, then the ranks.

        Raises SettingError for an option: it has none of its own.
        """
        case.refuse_options(self.name)
        taken = by_rules(case)
        yield taken
        comparison = Comparison(
            case.message, taken.facts, case.subject, case.references, samples=case.samples
        )
        for done, sample in enumerate(case.samples, 1):
            comparison.hear(sample)
            yield Progress(what="comparing", done=done, of=len(case.samples))
        yield from judge_all(comparison, case.limit(self.default_threshold))


METHOD: Final = Consensus()
