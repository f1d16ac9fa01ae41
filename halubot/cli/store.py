"""`halubot store`: one store of answers for several machines."""

from __future__ import annotations

from pathlib import Path

import click

from halubot import settings
from halubot.cli import option_types, options, output
from halubot.errors import SettingError


@click.group(cls=option_types.Group)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Share the store of the models' answers with other machines, in a PostgreSQL database."""
    ctx.default_map = dict.fromkeys(command.commands, ctx.default_map)


@command.command(
    params=[
        click.Argument(["url"], required=False, metavar="[postgresql://USER@HOST/DATABASE]"),
        *options.shared_options("store"),
        options.Setting(
            ["--key"],
            type=option_types.File(),
            metavar="FILE",
            help="The team's key; made for the first machine.  [default: team.key beside the"
            " settings file]",
        ),
        options.Setting(["--encrypt"], is_flag=True, help="Encrypt what is kept there."),
    ]
)
def share(url: str | None, *, store: Path | None, key: Path | None, encrypt: bool) -> None:
    """Share the answers that are kept from now on.

    \b
    Without an address, say what is shared. Each machine names the same
    address and has the same key: copy its file over a safe way.
    """
    from halubot_cache import Store, StoreError
    from halubot_cache.far import Shared, make_key, set_up

    folder = _folder(store)
    try:
        if url is None:
            shared = Shared.read(folder)
            said = "nothing is shared" if shared is None else f"shared: {_shown(shared.url)}"
            output.say(output.sentence(said))
            return
        file = (key or settings.path().parent / "team.key").expanduser().absolute()
        is_new = not file.exists()
        if is_new:
            make_key(file)
        shared = Shared(url, str(file), encrypt)
        try:
            set_up(shared)
        except StoreError:
            if is_new:
                file.unlink()
            raise
        with Store.open(folder):
            shared.write(folder)
    except (StoreError, OSError) as error:
        raise SettingError(str(error)) from error
    output.say(output.sentence(f"answers are shared from now on: {_shown(url)}"))
    if is_new:
        output.say(
            output.sentence(
                f"a key for the team was made in {file}: the other machines need the same file, and"
                " who has it can read and write what is shared"
            )
        )


@command.command(params=[*options.shared_options("store")])
def unshare(store: Path | None) -> None:
    """Keep answers on this machine alone again; what is shared stays there."""
    from halubot_cache.folder import SHARED

    try:
        (_folder(store) / SHARED).unlink(missing_ok=True)
    except OSError as error:
        raise SettingError(f"cannot stop sharing: {error.strerror}") from error
    output.say(output.sentence("answers are kept on this machine alone"))


def _folder(store: Path | None) -> Path:
    return store.expanduser().absolute() if store else settings.store_folder()


def _shown(url: str) -> str:
    """The address without a password."""
    return options.without_secrets(url)
