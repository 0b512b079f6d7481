"""`gaia backup`: one file that has what a home cannot be without. Works whether or not gaia
runs."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, ask_hidden, columns, echo_json, local_time, say
from gaia.cli.progress import backup_progress
from gaia.text import counted

if TYPE_CHECKING:
    from gaia.ops.backup.archives import Manifest
    from gaia.ops.backup.contents import Contents
    from gaia.ops.backup.create import Made
    from gaia.ops.backup.restore import Restored
    from gaia.ops.backup.verify import Verified
    from gaia.paths import Home

app = typer.Typer(no_args_is_help=True, help="Backups: to make, to check and to restore.")
LATEST = "latest"
File = Annotated[
    str, typer.Argument(help="A backup, as 'gaia backup list' shows them, or 'latest'.")
]


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
    from gaia.ops.backup.create import Wanted, make_backup
    from gaia.paths import find_home
    from gaia.settings.load import load_settings
    from gaia.store.lock import is_held

    home = find_home()
    wanted = Wanted(
        to=to or backup_folder(home, load_settings(home).settings.backup),
        with_secrets=with_secrets,
        passphrase=_passphrase_to_set(home, encrypt),
        while_running=is_served(home) or is_held(home),
    )
    with backup_progress() as progress:
        made = asyncio.run(make_backup(home, wanted, SystemClock(), progress))
    if as_json:
        echo_json(made_as_json(made))
    else:
        say(made_as_text(made))


@app.command("list")
def list_backups(as_json: AsJson = False) -> None:
    """List the backups in the folder of backups, the oldest first."""
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
        echo_json(rows)
    elif archives:
        lines = [
            (
                local_time(each.taken_at),
                size(each.size_bytes),
                "nightly" if each.is_nightly else "by hand",
                each.path.name,
            )
            for each in archives
        ]
        typer.echo(f"{folder}\n{columns(('TAKEN AT', 'SIZE', 'MADE', 'FILE'), lines)}")
    else:
        say(f"There is no backup in {folder}: make one with 'gaia backup create'.")


@app.command()
def verify(file: File = LATEST, as_json: AsJson = False) -> None:
    """Check a backup by restoring it for a trial. The latest one unless another is named;
    exits with 1 if it cannot be restored."""
    import asyncio

    from gaia.errors import BackupDamagedError
    from gaia.ops.backup.verify import verify_backup
    from gaia.paths import find_home
    from gaia.store.location import database_url

    path, server = _found(file), database_url(find_home())
    passphrase = _passphrase_of(path)
    try:
        with backup_progress() as progress:
            verified = asyncio.run(verify_backup(path, passphrase, progress, server))
    except BackupDamagedError as exc:
        if not as_json:
            raise
        echo_json({"ok": False, "path": str(path), "troubles": exc.troubles})
        raise typer.Exit(1) from exc
    if as_json:
        echo_json({"ok": True} | verified_as_json(verified))
    else:
        say(verified_as_text(verified))


@app.command()
def restore(
    file: File,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Move the home that is there aside first, and keep it."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup. gaia's home has to be empty, or not there."""
    import asyncio

    from gaia.clock import SystemClock
    from gaia.ops.backup.replace import Replaced, replace_home
    from gaia.ops.backup.restore import restore_backup
    from gaia.paths import find_home

    home = find_home()
    path = _found(file)
    passphrase = _passphrase_of(path)
    clock = SystemClock()
    with backup_progress() as progress:
        if replace:
            done = asyncio.run(replace_home(path, passphrase, home, clock, progress))
        else:
            restored = asyncio.run(restore_backup(path, passphrase, home, clock, progress))
            done = Replaced(restored, None)
    if as_json:
        told = restored_as_json(done.restored, home)
        echo_json(told | {"moved_aside": str(done.aside) if done.aside else None})
        return
    say(restored_as_text(done.restored, home, has_secrets=home.env_file.exists()))
    if done.restored.schema:
        say(f"The tables of before are in the schema {done.restored.schema}, until you drop it.")
    if done.aside is not None:
        say(f"What was there before is in {done.aside}: remove it once all is well.")


def _found(file: str) -> Path:
    """The file; a mere name may be one of the folder of backups, `latest` the newest there,
    whatever the current folder has."""
    if file != LATEST and (Path(file).exists() or Path(file).name != file):
        return Path(file)
    from gaia.clock import SystemClock
    from gaia.errors import BackupError, SettingsError
    from gaia.ops.backup.archives import archives_in, backup_folder, latest
    from gaia.paths import find_home
    from gaia.settings.load import load_settings

    home = find_home()
    try:
        folder = backup_folder(home, load_settings(home).settings.backup)
    except SettingsError:
        folder = home.backups
    if file == LATEST:
        found = latest(archives_in(folder), SystemClock().now())
        if found is None:
            raise BackupError(f"there is no backup in {folder}: 'gaia backup create' makes one")
        return found.path
    if not (folder / file).exists():
        raise BackupError(f"there is no backup {file!r} in {folder}: 'gaia backup list' shows all")
    return folder / file


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
    return ask_hidden("Passphrase", twice=True)


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
    return ask_hidden(f"Passphrase of {path.name}")


def made_as_text(made: Made) -> str:
    """What was made, for people."""
    lines = [str(made.path), f"  {size(made.size_bytes)}, {_what_is_in_it(made.manifest)}"]
    if made.is_encrypted:
        lines.append("  encrypted: without the passphrase nobody can restore it, not even you")
    elif made.manifest.with_secrets:
        lines.append("  not encrypted: whoever has this file has your keys and tokens")
    lines.append(f"'gaia backup verify {quote(str(made.path))}' checks that it can be restored.")
    return "\n".join(lines)


def verified_as_text(verified: Verified) -> str:
    """What was found, for people."""
    manifest, contents = verified.manifest, verified.contents
    taken = f"It was taken at {_when(manifest)} by gaia {manifest.gaia}"
    if contents is None:
        return (
            f"{verified.path.name} is whole: {_what_is_in_it(manifest)}.\n{taken}. "
            f"It was not restored for a trial: {verified.untried}."
        )
    return (
        f"{verified.path.name} can be restored: {_what_is_in_it(manifest)}.\n"
        f"{taken}, and has {_contents(contents)}."
    )


def restored_as_text(restored: Restored, home: Home, *, has_secrets: bool = False) -> str:
    """What was restored, and what the owner has to know of it; `has_secrets` says that a
    `.env` is there all the same."""
    manifest, contents, waiting = restored.manifest, restored.contents, restored.waiting
    lines = [f"Restored the backup of {_when(manifest)} to {home.root}: {_contents(contents)}."]
    if waiting.messages or waiting.chunks:
        waited = (
            f"{counted(waiting.messages, 'message', 'messages')} and "
            f"{counted(waiting.chunks, 'part', 'parts')} of replies waited then"
        )
        if restored.takes_up:
            lines.append(f"{waited}: gaia handles them when it starts.")
        else:
            lines += [
                f"{waited}. gaia may have dealt with them since, so it leaves them;",
                "'gaia outbox list --dead' shows the replies.",
            ]
    lines += [
        "It knows nothing of what came later: who was removed since is back, and what was",
        "forgotten since is remembered again. Look at 'gaia users list'.",
    ]
    if not manifest.with_secrets and not has_secrets:
        lines.append(f"Keys and tokens are not in this backup: put them into {home.env_file}.")
    lines += [
        "Models are not in it either: 'gaia model pull' gets the embedded one, if you use it.",
        "'gaia doctor' looks at all of it; the index of memories is rebuilt at the start.",
    ]
    return "\n".join(lines)


def made_as_json(made: Made) -> dict[str, object]:
    """What was made, for a script."""
    return {
        "path": str(made.path),
        "size_bytes": made.size_bytes,
        "encrypted": made.is_encrypted,
        "manifest": made.manifest.model_dump(mode="json"),
    }


def verified_as_json(verified: Verified) -> dict[str, object]:
    """What was found, for a script."""
    contents = verified.contents
    return {
        "path": str(verified.path),
        "users": contents and contents.users,
        "memories": contents and contents.memories,
        "messages": contents and contents.messages,
        "untried": verified.untried,
        "manifest": verified.manifest.model_dump(mode="json"),
    }


def restored_as_json(restored: Restored, home: Home) -> dict[str, object]:
    """What was restored, for a script."""
    return {
        "home": str(home.root),
        "users": restored.contents.users,
        "memories": restored.contents.memories,
        "waiting_messages": restored.waiting.messages,
        "waiting_chunks": restored.waiting.chunks,
        "takes_up": restored.takes_up,
        "schema": restored.schema,
        "manifest": restored.manifest.model_dump(mode="json"),
    }


def _what_is_in_it(manifest: Manifest) -> str:
    with_what = "with keys and tokens" if manifest.with_secrets else "without keys and tokens"
    return f"{counted(len(manifest.files), 'file', 'files')} of {size(manifest.size)}, {with_what}"


def _when(manifest: Manifest) -> str:
    return local_time(manifest.taken_at)


def size(size_bytes: int) -> str:
    """A number of bytes, for people."""
    return f"{size_bytes / 1e6:,.1f} MB" if size_bytes >= 1e6 else f"{size_bytes / 1e3:,.0f} kB"


def _contents(contents: Contents) -> str:
    return (
        f"{counted(contents.users, 'user', 'users')}, "
        f"{counted(contents.memories, 'memory', 'memories')} and "
        f"{counted(contents.messages, 'message', 'messages')}"
    )
