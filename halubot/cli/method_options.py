"""The settings that suit the method: those of other methods are refused if they were asked for
on the command line, and put aside if they hold for all runs."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from halubot.errors import SettingError
from halubot.inputs import Options, default_method, names_models
from halubot.method_settings import OF_METHODS, settings_of_method
from halubot.methods import registry


def spoken(option: str) -> bool:
    """Return whether an option was given on this command line, and not for all runs."""
    source = click.get_current_context().get_parameter_source(option)
    return source is ParameterSource.COMMANDLINE


def chosen_method(options: Options, own: dict[str, Any]) -> str:
    """The name of the method that will judge; ``own`` are the settings of single methods."""
    return options.get("method") or default_method(options | Options(options=own))


def of_the_method(method: str, own: dict[str, Any]) -> dict[str, Any]:
    """The settings of single methods, without those that are None and those, given for all runs,
    that this method does not take. One from another package is given all.

    Raises SettingError for one of the command line that it does not take.
    """
    given = {name: value for name, value in own.items() if value is not None}
    kept = settings_of_method(method, given)
    for name in filter(spoken, given.keys() - kept.keys()):
        raise SettingError(
            f"--{name.replace('_', '-')} is taken by {', '.join(OF_METHODS[name])};"
            f" {method} knows no {name}"
        )
    return kept


def wants_published(method: str, options: Options) -> bool:
    """Return whether the published steps are to be made: not if that was asked for all runs, and
    this one calls no model.

    Raises SettingError if the command line asks for steps that the method has not.
    """
    if not options.get("as_published"):
        return False
    if method in registry.method_names() and "model" not in registry.get(method).needs:
        if spoken("as_published"):
            raise SettingError(
                f"--as-published makes a model's calls one by one, and {method} makes none"
            )
        return False
    return names_models(options) or spoken("as_published")
