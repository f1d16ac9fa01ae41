"""The site of the documentation: `make docs` builds it with Sphinx, and a warning is an error."""

from __future__ import annotations

from typing import Any

from halubot.version import __version__

project = "halubot"
author = "The halubot authors"
release = __version__
html_title = "halubot"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinxcontrib.mermaid",
]
exclude_patterns = ["images"]

# A heading can be linked to by the name that GitHub gives it, so that links work in both places.
myst_heading_anchors = 4
# A diagram is a plain fence of GitHub's.
myst_fence_as_directive = ["mermaid"]

html_theme = "furo"
html_show_copyright = False

# Docstrings write `name` for a name of the code.
default_role = "py:obj"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"exclude-members": "model_config"}


def setup(app: Any) -> None:
    """Let Sphinx call what follows."""
    app.connect("source-read", _complete)
    app.connect("autodoc-process-signature", _without_fields)


def _complete(_app: object, _name: str, source: list[str]) -> None:
    """Lead links to files of the project to their pages."""
    for file in ("CONTRIBUTING", "CHANGELOG"):
        source[0] = source[0].replace(f"](../{file}.md", f"]({file.lower()}.md")


def _without_fields(
    _app: object, what: str, _name: str, found: object, _options: object, *rest: str | None
) -> tuple[str | None, str | None] | None:
    # Nobody makes a report by hand, and the constructors of pydantic take every field.
    if what == "class" and hasattr(found, "model_fields"):
        return "", None
    return None
