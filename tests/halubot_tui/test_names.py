"""The names of attributes: none of ours hides one of Textual's, which nothing else would notice."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import sys
from functools import cache
from typing import Final

from textual.binding import Binding
from textual.message_pump import MessagePump

import halubot_tui

OVERRIDDEN: Final = {
    "_on_key": "fields look at Enter, Tab and the slash first, and call Textual's own",
    "_compositor": "MainScreen has one that draws changed lines only",
    "_on_paste": "Editor looks at what is pasted first",
}
"""Private names of Textual's that classes of ours define on purpose."""

MADE_BY_TEXTUAL: Final = frozenset(
    {
        *("_computes", "_css_type_name", "_css_type_names", "_decorated_handlers"),
        *("_inherit_bindings", "_inherit_component_classes", "_inherit_css", "_merged_bindings"),
        "_reactives",
    }
)
"""Names that Textual itself puts into every class that is derived from one of its own."""


def all_of_ours() -> list[type]:
    """The classes of the app that Textual runs: widgets, screens and apps."""
    found = pkgutil.walk_packages(halubot_tui.__path__, "halubot_tui.")
    modules = [importlib.import_module(one.name) for one in found if "__main__" not in one.name]
    classes = {one for module in modules for one in vars(module).values() if inspect.isclass(one)}
    ours = [one for one in classes if _is_ours(one) and issubclass(one, MessagePump)]
    return sorted(ours, key=lambda one: f"{one.__module__}.{one.__qualname__}")


def hidden(ours: type) -> set[str]:
    """The names that a class sets on its objects, or defines, although Textual uses them."""
    bases = [base for base in ours.__mro__ if not _is_ours(base) and base is not object]
    defined = set[str]().union(*(vars(base) for base in bases))
    theirs = defined.union(*(_set_on_self(base) for base in bases))
    private = {name for name in vars(ours) if name.startswith("_") and not name.endswith("__")}
    private |= {name for name in _set_on_self(ours) if name.startswith("_")}
    methods = {
        name for name in _set_on_self(ours) if any(callable(vars(base).get(name)) for base in bases)
    }
    return (private & theirs | methods) - MADE_BY_TEXTUAL - OVERRIDDEN.keys()


def _is_ours(one: type) -> bool:
    return one.__module__.startswith(("halubot_tui", __name__))


@cache
def _set_on_self(one: type) -> frozenset[str]:
    """The attributes that the code of a class assigns to `self`."""
    return frozenset(
        node.attr
        for node in ast.walk(_classes_of(one.__module__)[one.__qualname__])
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


@cache
def _classes_of(module: str) -> dict[str, ast.AST]:
    """The code of a module's classes, by qualified name."""
    found: dict[str, ast.AST] = {}

    def look(node: ast.AST, within: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                found[f"{within}{child.name}"] = child
                look(child, f"{within}{child.name}.")
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                look(child, f"{within}{child.name}.<locals>.")
            else:
                look(child, within)

    look(ast.parse(inspect.getsource(sys.modules[module])), "")
    return found


def test_no_attribute_hides_one_of_textual() -> None:
    """`self._running` of a widget said that it does not run: Textual drew it no more."""
    assert {one.__qualname__: names for one in all_of_ours() if (names := hidden(one))} == {}


def test_what_hides_is_found() -> None:
    class Hiding(MessagePump):
        def __init__(self) -> None:
            super().__init__()
            self._running = False
            self._own = self.own = 1
            self.post_message = 2  # type: ignore[assignment, method-assign]

    assert hidden(Hiding) == {"_running", "post_message"}


def test_about_a_dozen_keys_and_one_meaning_each() -> None:
    """No key of the app or its one screen means two things, and none is a function key but F1."""
    from halubot_tui.app import HalubotApp
    from halubot_tui.screens.main_screen import MainScreen

    meanings: dict[str, str] = {}
    for binding in (*HalubotApp.BINDINGS, *MainScreen.BINDINGS):
        assert isinstance(binding, Binding)
        for key in binding.key.split(","):
            assert meanings.setdefault(key, binding.action) == binding.action
    assert {key for key in meanings if key[:1] == "f" and key[1:].isdigit()} == {"f1"}
    assert len(meanings) <= 20
