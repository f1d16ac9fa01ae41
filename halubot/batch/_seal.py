"""What all messages of a batch have in common, and the digest of it that goes into each line's
key."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from halubot.batch.message import Detail
from halubot.inputs import Options, default_method, own_options, sources, web_settings
from halubot.report import Source
from halubot.verifier.encoder import VERIFIER, named_verifier

if TYPE_CHECKING:
    from halubot.models.model import LanguageModel


def load(options: Options) -> Options:
    """Return the options with their common samples and references read, once for all lines."""
    loaded = options.copy()
    loaded["samples"] = sources(options.get("samples", ()), "sample")
    loaded["references"] = sources(options.get("references", ()), "reference")
    return loaded


def _name(model: str | LanguageModel | None) -> str | None:
    return model if model is None or isinstance(model, str) else model.name


def make_seal(options: Options, detail: Detail) -> bytes:
    """Return a digest of all that decides what a line says, the message itself left out."""
    texts = ("question", "context", "subject")
    # Left out or None or False or the default is the same: the command line passes every option.
    decisive: list[Any] = [options.get(name) or None for name in texts]
    # The place of the server's address, in outputs that were begun before it was left out: a server
    # may move.
    decisive.append(None)
    # By name, whether it was named or is the default: the same check from Python and from the
    # command line has the same key.
    decisive.append(options.get("method") or default_method(options))
    decisive += [options.get("threshold"), options.get("n_samples")]
    decisive.append(bool(options.get("as_published")))
    decisive += [_name(options.get("model")), _name(options.get("judge_model"))]
    decisive.append(bool(options.get("replay")))
    if panel := options.get("panel"):
        decisive += [panel.answer.name, panel.judge.name]
    own = own_options(options)
    # The command line reads the variable as an option, and `consensus` reads it by itself.
    verifier = named_verifier(own.pop(VERIFIER, None))
    decisive.append(sorted(own.items()))
    # Not what a base holds: that may be Wikipedia.
    decisive += [getattr(base, "name", base) for base in options.get("knowledge") or ()]
    web = web_settings(options)
    if web is not None:
        decisive.append([web.names, web.queries, web.allow, web.deny])
    for name in ("samples", "references"):
        given = options["samples"] if name == "samples" else options["references"]
        decisive.append([source.text for source in given if isinstance(source, Source)])
    # Added only if it is another, so that outputs begun before briefs existed go on.
    if detail != "full":
        decisive.append(detail)
    if verifier:
        decisive.append(["verifier", verifier])
    return sha256(json.dumps(decisive, default=str).encode()).digest()
