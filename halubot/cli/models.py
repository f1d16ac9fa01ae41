"""`halubot models`: which models can be reached, and what is known of them; and models on this
machine, which are downloaded here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from halubot.cli import output, tell
from halubot.cli.parameters import list_format, own, shared
from halubot.options import SWITCH

if TYPE_CHECKING:
    from halubot.models.local.model_folder import LocalModel
    from halubot.models.local.model_pull import Advance, PullPlan
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


@click.group(
    invoke_without_command=True,
    params=[
        *shared("model", "judge_model", "api_base", "offline"),
        list_format(),
    ],
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
    answers at once (n), answers bound to a schema, log-probabilities. No model is called.

    Then those that were downloaded to judge here (--judge) or to make vectors (--embeddings).
    """
    if ctx.invoked_subcommand is not None:
        # What the settings file says holds for the commands too, and --offline before their names.
        own = {**(ctx.default_map or {}), **({"offline": True} if offline else {})}
        ctx.default_map = dict.fromkeys(command.commands, own)
        return
    from halubot.models.local.model_folder import pulled_models
    from halubot.models.reachable import Named, reachable

    given = (("model", model), ("judge_model", judge_model))
    named = [
        Named(name, _ORIGINS.get(source, "option"))
        for key, name in given
        if name and (source := ctx.get_parameter_source(key))
    ]
    models, problems = reachable(named, api_base, offline=offline)
    here, damaged = pulled_models()
    for problem in (*problems, *map(str, damaged)):
        tell(problem)
    if format == "json":
        listed = [*map(_as_json, models), *map(_local_as_json, here)]
        output.say(json.dumps(listed, indent=2, ensure_ascii=False), "json")
        return
    if not models:
        output.say(_ways())
    for one in models:
        output.say(_format(one))
    if models:
        output.say(f"\n{output.wrap_paragraph(LEGEND)}")
    if here:
        output.say("\nDownloaded, and used without a server:")
    for local in here:
        output.say(_local_shown(local))


@command.command(
    params=[
        click.Argument(["name"], metavar="NAME"),
        own("yes", "Do not ask.", SWITCH, default=False),
        *shared("offline"),
    ]
)
def pull(name: str, *, yes: bool, offline: bool) -> None:
    """Download a model that judges or makes vectors on this machine.

    NAME is one of

    \b
      nli-deberta-v3-xsmall   entailment, for --judge nli:NAME, 87 MB
      nli-deberta-v3-small    the same, 173 MB
      nli-deberta-v3-base     the same, 244 MB
      all-minilm-l6-v2        vectors, for --embeddings local:NAME, 23 MB

    or a repository with weights in ONNX, OWNER/NAME; with @REVISION after it, another revision than
    the one that is pinned. What is fetched is shown first, with its size, its checksums and its
    licence. From then on no network is needed.
    """
    from halubot.cli.store import confirm
    from halubot.models.local.model_pull import plan_pull
    from halubot.models.local.model_pull import pull as download
    from halubot.offline import network_refused

    with ExitStack() as stack:
        if offline:
            stack.enter_context(network_refused())
        plan = plan_pull(name)
        # Before the question and before the first byte: sizes and checksums are what a person
        # decides by.
        output.say(_describe_plan(plan))
        if plan.present:
            output.say_line("It is here already, unchanged.")
            return
        if not yes:
            confirm(f"Download {_size(plan.size)}?")
        with _progress() as advance:
            download(plan, advance)
    output.say_line(f"{plan.name} is in {plan.folder}")


@command.command(params=[click.Argument(["name"], metavar="NAME")])
def remove(name: str) -> None:
    """Delete a downloaded model."""
    from halubot.errors import LocalModelError
    from halubot.models.local.model_pull import remove as delete

    if not delete(name):
        raise LocalModelError(f"no model {name!r} was downloaded: see halubot models")
    output.say_line(f"{name} is deleted")


@contextmanager
def _progress() -> Iterator[Advance]:
    """A bar on standard error for the files that come."""
    from halubot.cli.screen import bar

    with bar() as shown:
        task = shown.add_task("")

        def advance(name: str, done: int, of: int) -> None:
            shown.update(task, description=name, completed=done, total=of)

        yield advance


def _describe_plan(plan: PullPlan) -> str:
    """Say what a download will take: revision, licence, files with sizes and checksums."""
    from halubot.render.inert import one_line

    lines = [
        f"{one_line(plan.name)}, from {one_line(plan.address)}",
        f"    revision {one_line(plan.revision)}",
        f"    licence  {one_line(plan.licence) or 'none is named'}",
    ]
    for file in plan.files:
        check = f"SHA-256 {file.sha256}" if file.sha256 else f"Git {file.blob}"
        lines.append(f"    {one_line(file.name)}, {_size(file.size)}, {check}")
    return "\n".join([*lines, f"    into {plan.folder}"])


def _local_as_json(model: LocalModel) -> dict[str, Any]:
    """A downloaded model with the same keys as the others, and its own."""
    record = model.record
    return {
        "name": model.name,
        "api_base": None,
        "provider": "local",
        "local": True,
        "origin": "pulled",
        "n": None,
        "schema": None,
        "logprobs": None,
        "missing_key": None,
        "kind": model.kind,
        "repository": record.repository,
        "revision": record.revision,
        "licence": record.licence,
        "bytes": record.size,
        "folder": str(model.path),
    }


def _local_shown(model: LocalModel) -> str:
    """The option that uses a downloaded model, and below it what it is."""
    from halubot.render.inert import one_line

    name, record = one_line(model.name), model.record
    asked = {
        "nli": f"--judge nli:{name}",
        "grounding": f"--judge grounding:{name}",
        "local": f"--embeddings local:{name}",
    }[model.kind]
    about = f"{_size(record.size)}; licence {one_line(record.licence) or 'not named'}"
    about += f"; {one_line(record.repository)} at {one_line(record.revision)[:12]}"
    return f"{asked}\n{output.wrap_paragraph(about, first='    ')}"


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


def _ways() -> str:
    """Say how to get a model; of a hosted one, which keys are there already."""
    from halubot.models.reachable import keys_set

    ways = dict(WAYS)
    if keys := keys_set():
        named = " or ".join(f"--model {provider}/NAME" for provider in keys)
        there = "is set" if len(keys) == 1 else "are set"
        ways["hosted"] = f"{', '.join(keys.values())} {there}: {named}"
    width = max(map(len, ways)) + 4
    lines = [output.wrap_paragraph(NO_MODEL)]
    for name, way in ways.items():
        lines.append(output.wrap_paragraph(way, first=f"  {name}".ljust(width), then=" " * width))
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


def _format(model: Reachable) -> str:
    """The options that ask the model, and below them what is known of it."""
    from halubot.render.inert import one_line

    # As an option to be copied: the name alone does not say which address belongs to it.
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
    below = (output.wrap_paragraph("; ".join(words), first="    ") for words in (facts, seen))
    return "\n".join([asked, *below])
