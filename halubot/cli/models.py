"""`halubot models`: which models can be reached, and what is known of them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from halubot.cli import output, tell
from halubot.cli.parameters import list_format, origin, own, shared
from halubot.options import SWITCH

if TYPE_CHECKING:
    from halubot.models.reachable import Reachable
    from halubot.verifier.pull import Pulled, PullPlan

NO_MODEL = "No model is named, and no server on this machine offers one. To get one:"
WAYS = {
    "here": "install Ollama (ollama.com), ollama pull llama3.2, then --model ollama_chat/llama3.2",
    "a server": "any that is OpenAI-compatible: --model openai/NAME --api-base http://HOST:8000/v1",
    "hosted": "a provider's key in its variable (OPENAI_API_KEY), then --model openai/NAME",
}

_ORIGIN_SAID = {
    "option": "named by option",
    "variable": "named by variable",
    "file": "named in the settings file",
    "server": "offered by the server",
}
ABILITIES = ("n", "schema", "logprobs")
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

    Then the verifiers that were downloaded (--verifier).
    """
    if ctx.invoked_subcommand is not None:
        # What the settings file says holds for the commands too, and --offline before their names.
        own = {**(ctx.default_map or {}), **({"offline": True} if offline else {})}
        ctx.default_map = dict.fromkeys(command.commands, own)
        return
    from halubot.models.reachable import reachable
    from halubot.verifier.pull import pulled

    given = {"model": model, "judge_model": judge_model}
    named = {name: origin(ctx, key) for key, name in given.items() if name}
    models, problems = reachable(named, api_base, offline=offline)
    here, damaged = pulled()
    for problem in (*problems, *map(str, damaged)):
        tell(problem)
    if format == "json":
        listed = [*map(_as_json, models)]
        listed += [_pulled_as_json(name, record) for name, record in here.items()]
        output.say_json(listed)
        return
    if not models:
        output.say(_ways())
    for one in models:
        output.say(_format(one))
    if models:
        output.say(f"\n{output.wrap_paragraph(LEGEND)}")
    if here:
        output.say("\nDownloaded, and used without a server:")
    for name, record in here.items():
        output.say(_show_pulled(name, record))


@command.command(
    params=[
        click.Argument(["name"], metavar="NAME"),
        own("yes", "Do not ask.", SWITCH, default=False),
        *shared("offline"),
    ]
)
def pull(name: str, *, yes: bool, offline: bool) -> None:
    """Download another verifier.

    NAME is verifier, a larger one for English (nli-deberta-v3-base, 244 MB) that is used from then
    on, or a repository with a classifier of entailment in ONNX, OWNER/NAME, for --verifier NAME;
    with @REVISION after it, another revision than that of an earlier download. What is fetched is
    shown first, with its size, its checksums and its licence.
    """
    from halubot.cli.screen import bar
    from halubot.offline import network_refused
    from halubot.verifier.pull import plan_pull
    from halubot.verifier.pull import pull as download

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
            output.confirm(f"Download {output.size(plan.size)}?")
        with bar() as shown:
            task = shown.add_task("")
            download(
                plan,
                lambda name, done, of: shown.update(
                    task, description=name, completed=done, total=of
                ),
            )
    output.say_line(f"{plan.name} is in {plan.folder}")


@command.command(params=[click.Argument(["name"], metavar="NAME")])
def remove(name: str) -> None:
    """Delete a downloaded verifier."""
    from halubot.errors import LocalModelError
    from halubot.verifier.pull import remove as delete

    if not delete(name):
        raise LocalModelError(f"no model {name!r} was downloaded: see halubot models")
    output.say_line(f"{name} is deleted")


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
        lines.append(f"    {one_line(file.name)}, {output.size(file.size)}, {check}")
    return "\n".join([*lines, f"    into {plan.folder}"])


def _pulled_as_json(name: str, record: Pulled) -> dict[str, object]:
    """A downloaded verifier with the same keys as a model, and its own."""
    return {
        "name": name,
        "provider": "local",
        "local": True,
        "origin": "pulled",
        **dict.fromkeys(("api_base", *ABILITIES, "missing_key")),
        **{name: getattr(record, name) for name in ("repository", "revision", "licence")},
        "bytes": record.size,
    }


def _show_pulled(name: str, record: Pulled) -> str:
    """The option that uses a downloaded verifier, and below it what it is."""
    from halubot.render.inert import one_line

    about = f"{output.size(record.size)}; licence {one_line(record.licence) or 'not named'}"
    about += f"; {one_line(record.repository)} at {one_line(record.revision)[:12]}"
    return f"--verifier {one_line(name)}\n{output.wrap_paragraph(about, first='    ')}"


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
    about = ("name", "api_base", "provider", "local", "origin")
    return {
        **{name: getattr(model, name) for name in about},
        **{name: getattr(model.capabilities, name) for name in ABILITIES},
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
    seen = []
    for which, said in ((True, "yes"), (False, "no"), (None, "not tried")):
        names = [name for name in ABILITIES if getattr(model.capabilities, name) is which]
        seen += [f"{', '.join(names)}: {said}"] if names else []
    below = (output.wrap_paragraph("; ".join(words), first="    ") for words in (facts, seen))
    return "\n".join([asked, *below])
