"""`halubot models`: which models can be reached, and what is known of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from halubot.cli import options, printing, tell

if TYPE_CHECKING:
    from halubot.models.reachable import Reachable

NO_MODEL = "No model is named, and no server on this machine offers one. To get one:"
WAYS = {
    "here": "install Ollama (ollama.com), ollama pull llama3.2, then --model ollama_chat/llama3.2",
    "a server": "any that is OpenAI-compatible: --model openai/NAME --api-base http://HOST:8000/v1",
    "hosted": "a provider's key in its variable (OPENAI_API_KEY), then --model openai/NAME",
}

_ORIGINS = {
    ParameterSource.COMMANDLINE: "option",
    ParameterSource.ENVIRONMENT: "variable",
    ParameterSource.DEFAULT_MAP: "file",
}
_ORIGIN_SAID = {
    "option": "named by option",
    "variable": "named by variable",
    "file": "named in the settings file",
    "server": "offered by the server",
}
LEGEND = (
    "As seen in real calls: n, several answers at once; schema, answers bound to one; logprobs,"
    " the probability of each word."
)


@click.command(
    params=[
        *options.shared("model", "judge_model", "api_base", "offline"),
        options.LIST_FORMAT,
    ]
)
@click.pass_context
def command(
    ctx: click.Context,
    *,
    model: str | None,
    judge_model: str | None,
    api_base: str | None,
    offline: bool,
    format: str,
) -> None:
    """List the models: those named, and those that servers on this machine, or at --api-base,
    offer; with who receives the text, and with what each was seen to do in real calls: several
    answers at once (n), answers bound to a schema, log-probabilities. No model is called."""
    from halubot.models.reachable import Named, reachable

    given = (("model", model), ("judge_model", judge_model))
    named = [
        Named(name, _ORIGINS.get(source, "option"))
        for key, name in given
        if name and (source := ctx.get_parameter_source(key))
    ]
    models, problems = reachable(named, api_base, offline=offline)
    for problem in problems:
        tell(problem)
    if format == "json":
        printing.say(
            json.dumps([_as_json(one) for one in models], indent=2, ensure_ascii=False), "json"
        )
        return
    if not models:
        printing.say(_ways())
        return
    for one in models:
        printing.say(_shown(one))
    printing.say(f"\n{printing.wrapped(LEGEND)}")


def _ways() -> str:
    """How to get a model; of a hosted one, which keys are there already."""
    from halubot.models.reachable import keys_set

    ways = dict(WAYS)
    if keys := keys_set():
        named = " or ".join(f"--model {provider}/NAME" for provider in keys)
        there = "is set" if len(keys) == 1 else "are set"
        ways["hosted"] = f"{', '.join(keys.values())} {there}: {named}"
    width = max(map(len, ways)) + 4
    lines = [printing.wrapped(NO_MODEL)]
    for name, way in ways.items():
        lines.append(printing.wrapped(way, first=f"  {name}".ljust(width), then=" " * width))
    return "\n".join(lines)


def _as_json(model: Reachable) -> dict[str, object]:
    can = model.capabilities
    return {
        "name": model.name,
        "api_base": model.api_base,
        "provider": model.provider,
        "local": model.local,
        "origin": model.origin,
        "n": can.n,
        "schema": can.schema,
        "logprobs": can.logprobs,
        "missing_key": model.missing_key,
    }


def _shown(model: Reachable) -> str:
    """The options that ask the model, and below them what is known of it."""
    from halubot.render.inert import one_line

    asked = f"--model {one_line(model.name)}"
    if model.api_base:
        asked += f" --api-base {model.api_base}"
    facts = [_ORIGIN_SAID[model.origin]]
    facts.append("the text stays here" if model.local else f"{model.endpoint} receives the text")
    if model.missing_key:
        facts.append(f"{model.missing_key} is not set")
    can = {name: getattr(model.capabilities, name) for name in ("n", "schema", "logprobs")}
    tried = {
        said: [name for name, known in can.items() if known is which]
        for which, said in ((True, "yes"), (False, "no"), (None, "not tried"))
    }
    seen = [f"{', '.join(names)}: {said}" for said, names in tried.items() if names]
    below = (printing.wrapped("; ".join(words), first="    ") for words in (facts, seen))
    return "\n".join([asked, *below])
