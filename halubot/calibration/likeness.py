"""Is a text of the kind that a calibration was measured on?

A probability is true only of texts like those it was measured on. The calibrations that come with
halubot were measured on the lives of WikiBio, where most sentences begin with "he" or "she": a text
in which few do, such as advice or news, gets no probability from them.
"""

from __future__ import annotations

import re
from typing import Final

from halubot.report import Calibration
from halubot.text import Document

_OF_LIVES: Final = "WikiBio"
_PERSON: Final = re.compile(
    r"\W*(?:(?:in|on|from|after|during|at|since|by)\b[^,.]{0,60},?\s+)?(?:he|she|his|her)\b",
    re.IGNORECASE,
)
_FEWEST: Final = 0.3
"""The share of sentences that begin with a person's pronoun in a life. Of the passages of WikiBio
(development part) 96 % have it, of everyday messages 3 % and 8 % (two sets)."""


def is_life(document: Document) -> bool:
    """Return True if a text tells of one person, by how its sentences begin. Linear."""
    found = [bool(_PERSON.match(document.plain, *span)) for span in document.sentences]
    return bool(found) and sum(found) >= _FEWEST * len(found)


_FEWEST_SAMPLES: Final = 10
"""Half of the samples that WikiBio has; with six, everyday lives had a calibration error of 0.4,
and with a reference alone one of 0.28 (three messages, 132 facts)."""


def is_measured_on(calibration: Calibration, document: Document, samples: int) -> bool:
    """Return True if a calibration was measured on texts like this one, with about as many
    ``samples``. One of a person's own data always counts as such."""
    if not calibration.fitted_on.startswith(_OF_LIVES):
        return True
    return samples >= _FEWEST_SAMPLES and is_life(document)
