"""Whether an answer says what its question asks for: an extraction, not a judgement.

A judge that is asked whether an answer fits finds too much wrong with right ones; so it is asked to
take out of the answer what the question asks for, or NONE. Whether that is right is not its matter.

Source: KnowHalu (anonymous, under review), section 3.1 and appendix A.1.
"""

from __future__ import annotations

from typing import Final, Literal, Self

from pydantic import BaseModel, Field, model_validator

from halubot.methods.knowhalu.queries import Asked

Outcome = Literal["given", "none", "refused"]

NONE: Final = "NONE"
"""What is extracted where the answer does not say it."""


class Target(BaseModel):
    """What the question asks for, and the words of the answer that say it.

    ``outcome`` is "given" where there are such words, "none" where there are not, and "refused" for
    an answer that declines to answer, which states nothing wrong.
    """

    asked: str = Field(max_length=400)
    extracted: str = Field(max_length=1000)
    outcome: Outcome

    @model_validator(mode="after")
    def _extracted_where_given(self) -> Self:
        if self.outcome == "given" and self.extracted.strip(" .\"'") in ("", NONE):
            raise ValueError(f"the outcome is 'given', but what was extracted is {NONE}")
        return self


class Begun(Asked, Target):
    """What the question asks for, written down before the first query to the answer."""
