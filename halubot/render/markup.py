"""HTML made of elements. Whatever is not itself an element is escaped."""

from __future__ import annotations

from html import escape

from halubot.render.inert import inert


class Html(str):
    """Markup that may stand as it is: made by `tag` and `join` only."""

    __slots__ = ()


POLICY = Html(
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
    " style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">"
)
"""The head of every page forbids scripts and everything from elsewhere. All text is escaped; this
holds if a place was forgotten. (Styles of elements draw the bars, and cannot load anything.)"""


def tag(name: str, *content: str | None, **attributes: str | bool | None) -> Html:
    """An element with its content. Text is escaped and its control characters made visible;
    None is left out. Of an attribute's name a last underscore is dropped and the others become
    hyphens; True stands alone, False and None are left out."""
    words = [name]
    for key, value in attributes.items():
        attribute = key.removesuffix("_").replace("_", "-")
        if value is True:
            words.append(attribute)
        elif isinstance(value, str):
            words.append(f'{attribute}="{escape(inert(value))}"')
    return Html(f"<{' '.join(words)}>{join(*content)}</{name}>")


def join(*content: str | None) -> Html:
    """Elements and texts one behind the other."""
    return Html(
        "".join(
            part if isinstance(part, Html) else escape(inert(part), quote=False)
            for part in content
            if part is not None
        )
    )
