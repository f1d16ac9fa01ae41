"""
title: halubot
description: Checks answers fact by fact with a halubot service and notes what to doubt.
version: 1.0.0
requirements: httpx
"""

# A filter for Open WebUI: Admin panel > Functions > Import. It asks a service that `halubot serve`
# runs; docs/service.md says how. It needs nothing of halubot itself.

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from pydantic import BaseModel

Emitter = Callable[[dict[str, Any]], Awaitable[None]]


class Filter:
    """Adds a note below an answer that holds something doubtful, and cites the sources."""

    class Valves(BaseModel):
        """Settings that Open WebUI shows to its administrator."""

        address: str = "http://127.0.0.1:8000"
        token: str = ""
        seconds: float = 30.0
        priority: int = 0

    def __init__(self) -> None:
        self.valves = self.Valves()

    async def outlet(
        self, body: dict[str, Any], __event_emitter__: Emitter | None = None
    ) -> dict[str, Any]:
        """Check the last answer of a chat. The answer is never held back."""
        messages = body.get("messages") or []
        if not messages or messages[-1].get("role") != "assistant":
            return body
        answer = messages[-1]
        asked = [one["content"] for one in messages[:-1] if one.get("role") == "user"]
        request = {
            "input_type": "response",
            "texts": [answer.get("content") or ""],
            "structured_messages": [{"role": "user", "content": asked[-1]}] if asked else [],
        }
        headers = {"Authorization": f"Bearer {self.valves.token}"} if self.valves.token else {}
        where = f"{self.valves.address.rstrip('/')}/beta/litellm_basic_guardrail_api"
        said = "checked: nothing in doubt"
        try:
            async with httpx.AsyncClient(timeout=self.valves.seconds) as client:
                found = (await client.post(where, json=request, headers=headers)).raise_for_status()
            texts = found.json().get("texts")
        except (httpx.HTTPError, ValueError) as error:
            texts, said = None, f"not checked: {type(error).__name__} from the halubot service"
        if texts:
            note = texts[0].removeprefix(answer["content"]).strip("\n- ")
            said = note.splitlines()[0].removeprefix("halubot: ") if note else said
            answer["content"] = texts[0]
        if __event_emitter__ is not None:
            # Some versions show only what is emitted, not what an outlet changes.
            status = {"description": f"halubot: {said}", "done": True}
            await __event_emitter__({"type": "status", "data": status})
        return body
