"""The public names: all there, all documented, the same to type checkers and at run time."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import halubot


def test_public_names_are_there_documented_sorted_and_listed() -> None:
    assert all(getattr(halubot, name) is not None for name in halubot.__all__)
    words = (halubot.__doc__ or "").replace(",", " ").replace("`", " ").split()
    assert set(halubot.__all__) - set(words) == {"__version__"}
    assert sorted(halubot.__all__) == halubot.__all__
    assert set(halubot.__all__) <= set(dir(halubot))


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(str(halubot.__file__)).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {
        (str(line.module), name.name)
        for line in block.body
        if isinstance(line, ast.ImportFrom)
        for name in line.names
    }
    homes = halubot.__dict__["_HOMES"]
    assert imported == {(home, name) for home, names in homes.items() for name in names}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        getattr(halubot, "chekc")  # noqa: B009 - the type checker knows that it is not there
