"""The words of a Discord message, from all its parts: content, embeds, cards, attachments.

Text is text: names, mentions and markup in it are no instruction, and nothing is fetched but
attachments of Discord's own, within limits.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import discord

from halubot.errors import DocumentLimitError, HalubotError, InputError, MissingExtraError
from halubot_bots.discord.error_words import error_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halubot.report import Source
    from halubot_bots.documents import Documents

MARK: Final = "halubot"
"""The word by which annotations of other checkers of this kind are told."""

READABLE: Final = frozenset(
    {".txt", ".md", ".markdown", ".html", ".htm", ".pdf", ".docx", ".json", ".csv"}
)
"""The kinds of attachments that serve as references."""

MOST_FILES: Final = 5
"""Attachments of one message that are read."""


@dataclass(frozen=True, slots=True)
class Attached:
    """References that were attached, and why others were left out."""

    sources: tuple[Source, ...]
    left_out: tuple[str, ...]


def text_of(message: discord.Message | discord.MessageSnapshot) -> str:
    """All that its author wrote in a message, part by part; what it forwards if it says nothing
    itself; "" if nothing is left but pictures, or if Discord keeps it from us."""
    parts = [message.content, *_embeds(message), *_components(message.components)]
    text = "\n\n".join(part.strip() for part in parts if part and part.strip())
    if text or isinstance(message, discord.MessageSnapshot):
        return text
    return "\n\n".join(filter(None, (text_of(one) for one in message.message_snapshots)))


def digest_of(text: str) -> str:
    """Return 32 hexadecimal digits that tell one version of a text from another."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def looks_annotated(message: discord.Message) -> bool:
    """Return True if this looks like an annotation of a checker, ours or another."""
    ids = (getattr(item, "custom_id", None) or "" for item in _walk(message.components))
    # By the ids of buttons, which people cannot write, and not by words, which they can.
    return any(id.startswith(f"{MARK}:") for id in ids)


async def read_all(
    documents: Documents, attachments: Sequence[discord.Attachment], most: int
) -> Attached:
    """The attachments that can be references, of at most ``most`` bytes each. Those left out are
    named, and why."""
    sources: list[Source] = []
    left_out: list[str] = []
    for attachment in attachments:
        name = PurePath(attachment.filename).name[:100]
        if len(sources) >= MOST_FILES:
            left_out.append(f"{name} is one file more than {MOST_FILES}")
            continue
        if PurePath(name).suffix.lower() not in READABLE:
            left_out.append(f"{name} is no text, Markdown, HTML, PDF or DOCX file")
        elif attachment.size > most:
            left_out.append(f"{name} has {attachment.size:,} bytes, more than {most:,}")
        else:
            try:
                data = await attachment.read()
                # The size before was only announced.
                if len(data) > most:
                    raise InputError(f"{name} is larger than it said")
                sources.append(await documents.read(data, name))
            except (InputError, MissingExtraError) as error:
                left_out.append(error_text(error))
                if isinstance(error, DocumentLimitError):
                    break  # one that takes too much is enough of this message
            except (HalubotError, discord.HTTPException):
                left_out.append(f"{name} cannot be read")
    return Attached(tuple(sources), tuple(left_out))


def is_unfurled(before: discord.Message | None, now: discord.Message) -> bool:
    """Return True if a change of a message is that Discord put previews of its links below it. Such
    a change has no moment of an edit. Nor has the first text of an answer that was "thinking"."""
    return (
        # If the earlier version is unknown, the change counts as an edit, and is checked again.
        before is not None
        and not before.flags.loading
        and now.edited_at == before.edited_at
        and now.content == before.content
        and bool(now.content)
    )


def _embeds(message: discord.Message | discord.MessageSnapshot) -> Iterator[str]:
    """The texts of the embeds that the author wrote. People cannot write any: theirs are previews
    of links. Those of bots have the type "rich", and never a provider or a video, which only
    Discord sets; a preview may be "rich" too (of a post, say), but then it has its link's address.
    """
    if isinstance(message, discord.Message) and not (message.author.bot or message.webhook_id):
        return
    for embed in message.embeds:
        if embed.type != "rich" or embed.provider or embed.video:
            continue
        if embed.url and embed.url.partition("://")[2].rstrip("/") in message.content:
            continue
        fields = (part for field in embed.fields for part in (field.name, field.value))
        yield "\n".join(filter(None, (embed.title, embed.description, *fields)))


def _components(components: list[discord.components.MessageComponentType]) -> Iterator[str]:
    for item in _walk(components):
        if isinstance(item, discord.components.TextDisplay):
            yield item.content


def _walk(components: object) -> Iterator[object]:
    """All components, nested ones after what holds them."""
    for item in components if isinstance(components, (list, tuple)) else ():
        yield item
        yield from _walk(getattr(item, "children", None))
        yield from _walk(getattr(item, "components", None))
