"""`halubot completion`: the script that teaches a shell to complete halubot's commands."""

from __future__ import annotations

import click

from halubot.cli import output


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash   eval "$(halubot completion bash)"     in ~/.bashrc
    zsh    eval "$(halubot completion zsh)"      in ~/.zshrc
    fish   halubot completion fish | source      in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    from halubot.cli import group

    completer = get_completion_class(shell)
    if completer is not None:
        output.say(completer(group, {}, "halubot", "_HALUBOT_COMPLETE").source())
