"""`gaia backup`: one file that has what a home cannot be without. Works whether or not gaia
runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli import backup_text
from gaia.cli.backup_progress import backup_progress

if TYPE_CHECKING:
    from gaia.paths import Home

app = typer.Typer(no_args_is_help=True, help="Backups: to make, to check and to restore.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]
File = Annotated[Path, typer.Argument(help="A backup, as 'gaia backup list' shows them.")]


@app.command()
def create(
    to: Annotated[
        Path | None,
        typer.Option(help="A folder, or a new file.", show_default="the folder of backups"),
    ] = None,
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Put in the keys and tokens of .env as well.")
    ] = False,
    encrypt: Annotated[
        bool | None,
        typer.Option(
            "--encrypt/--no-encrypt",
            help="With a passphrase: that of the settings, or one to be typed.",
            show_default="encrypted if a passphrase is set",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a backup, also while gaia runs."""
    import asyncio

    from gaia.cli.control import is_served
    from gaia.clock import SystemClock
    from gaia.ops.backup.archives import backup_folder
    from gaia.ops.backup.making import Wanted, make_backup
    from gaia.paths import find_home
    from gaia.settings.load import load_settings

    home = find_home()
    wanted = Wanted(
        to=to or backup_folder(home, load_settings(home).settings.backup),
        with_secrets=with_secrets,
        passphrase=_passphrase_to_set(home, encrypt),
        while_running=is_served(home),
    )
    with backup_progress() as progress:
        made = asyncio.run(make_backup(home, wanted, SystemClock(), progress))
    typer.echo(
        json.dumps(backup_text.made_as_json(made), indent=2)
        if as_json
        else backup_text.made_as_text(made)
    )


@app.command("list")
def list_backups(as_json: AsJson = False) -> None:
    """List the backups in the folder of backups, the oldest first."""
    from gaia.cli.table import columns, local_time
    from gaia.ops.backup.archives import archives_in, backup_folder
    from gaia.paths import find_home
    from gaia.settings.load import load_settings

    home = find_home()
    folder = backup_folder(home, load_settings(home).settings.backup)
    archives = archives_in(folder)
    if as_json:
        rows = [
            {
                "path": str(each.path),
                "taken_at": each.taken_at.isoformat(),
                "size_bytes": each.size_bytes,
                "nightly": each.is_nightly,
                "encrypted": each.is_encrypted,
            }
            for each in archives
        ]
        typer.echo(json.dumps(rows, indent=2))
    elif archives:
        lines = [
            (
                local_time(each.taken_at),
                backup_text.size(each.size_bytes),
                "nightly" if each.is_nightly else "by hand",
                each.path.name,
            )
            for each in archives
        ]
        typer.echo(f"{folder}\n{columns(('TAKEN AT', 'SIZE', 'MADE', 'FILE'), lines)}")
    else:
        typer.echo(f"There is no backup in {folder}: make one with 'gaia backup create'.")


@app.command()
def verify(file: File, as_json: AsJson = False) -> None:
    """Look whether a backup can be restored, by a restore for trial. Exits with 1 if not."""
    import asyncio

    from gaia.errors import BackupDamagedError
    from gaia.ops.backup.verifying import verify_backup

    path = _found(file)
    passphrase = _passphrase_of(path)
    try:
        with backup_progress() as progress:
            verified = asyncio.run(verify_backup(path, passphrase, progress))
    except BackupDamagedError as exc:
        if not as_json:
            raise
        typer.echo(json.dumps({"ok": False, "path": str(path), "troubles": exc.troubles}, indent=2))
        raise typer.Exit(1) from exc
    text = json.dumps({"ok": True} | backup_text.verified_as_json(verified), indent=2)
    typer.echo(text if as_json else backup_text.verified_as_text(verified))


@app.command()
def restore(file: File, as_json: AsJson = False) -> None:
    """Restore a backup into gaia's home, which has to be empty, or not there."""
    import asyncio

    from gaia.clock import SystemClock
    from gaia.ops.backup.restoring import restore_backup
    from gaia.paths import find_home

    home = find_home()
    path = _found(file)
    passphrase = _passphrase_of(path)
    with backup_progress() as progress:
        restored = asyncio.run(restore_backup(path, passphrase, home, SystemClock(), progress))
    text = json.dumps(backup_text.restored_as_json(restored, home), indent=2)
    typer.echo(text if as_json else backup_text.restored_as_text(restored, home))


def _found(file: Path) -> Path:
    """The file; a mere name may be one of the folder of backups."""
    if file.exists() or file.name != str(file):
        return file
    from gaia.errors import SettingsError
    from gaia.ops.backup.archives import backup_folder
    from gaia.paths import find_home
    from gaia.settings.load import load_settings

    home = find_home()
    try:
        listed = backup_folder(home, load_settings(home).settings.backup) / file
    except SettingsError:
        return file
    return listed if listed.exists() else file


def _passphrase_to_set(home: Home, encrypt: bool | None) -> str | None:
    from gaia.errors import PassphraseError
    from gaia.ops.backup.encryption import VARIABLE, known_passphrase

    if encrypt is False:
        return None
    known = known_passphrase(home)
    if known or encrypt is None:
        return known
    if not sys.stdin.isatty():
        raise PassphraseError(f"there is nobody to type a passphrase: set {VARIABLE}")
    typed: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True)
    return typed


def _passphrase_of(path: Path) -> str | None:
    """The passphrase of a backup: that of the settings, or one that is typed."""
    from gaia.ops.backup.archives import is_encrypted
    from gaia.ops.backup.encryption import known_passphrase
    from gaia.paths import find_home

    try:
        if not is_encrypted(path):
            return None
    except OSError:
        return None  # Whoever reads it next says why it cannot be read.
    known = known_passphrase(find_home())
    if known or not sys.stdin.isatty():
        return known
    typed: str = typer.prompt(f"Passphrase of {path.name}", hide_input=True, err=True)
    return typed
