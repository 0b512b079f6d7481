"""What `gaia backup` says of backups, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gaia.ops.words import counted

if TYPE_CHECKING:
    from gaia.ops.backup.examining import Contents
    from gaia.ops.backup.making import Made
    from gaia.ops.backup.manifest import Manifest
    from gaia.ops.backup.restoring import Restored
    from gaia.ops.backup.verifying import Verified
    from gaia.paths import Home


def made_as_text(made: Made) -> str:
    """What was made, for people."""
    lines = [str(made.path), f"  {size(made.size_bytes)}, {_what_is_in_it(made.manifest)}"]
    if made.is_encrypted:
        lines.append("  encrypted: without the passphrase nobody can restore it, nor can you")
    elif made.manifest.with_secrets:
        lines.append("  not encrypted: whoever has this file has your keys and tokens")
    lines.append(f"'gaia backup verify {made.path.name}' looks whether it can be restored.")
    return "\n".join(lines)


def verified_as_text(verified: Verified) -> str:
    """What was found, for people."""
    contents = verified.contents
    return (
        f"{verified.path.name} can be restored: {_what_is_in_it(verified.manifest)}.\n"
        f"It was taken at {_when(verified.manifest)} by gaia {verified.manifest.gaia}, and has "
        f"{_contents(contents)}."
    )


def restored_as_text(restored: Restored, home: Home) -> str:
    """What was restored, and what the owner has to know of it."""
    manifest, contents, waiting = restored.manifest, restored.contents, restored.waiting
    lines = [f"Restored the backup of {_when(manifest)} to {home.root}: {_contents(contents)}."]
    if waiting.messages or waiting.chunks:
        waited = (
            f"{waiting.messages:,} messages and {waiting.chunks:,} parts of replies waited then"
        )
        if restored.takes_up:
            lines.append(f"{waited}: gaia takes them up when it starts.")
        else:
            lines += [
                f"{waited}. gaia may have dealt with them since, so it leaves them;",
                "'gaia outbox list --dead' shows the replies.",
            ]
    lines += [
        "It knows nothing of what came later: who was removed since is back, and what was",
        "forgotten since is remembered again. Look at 'gaia users list'.",
    ]
    if not manifest.with_secrets:
        lines.append(f"Keys and tokens are not in this backup: put them into {home.env_file}.")
    lines += [
        "Models are not in it either: 'gaia model pull' gets the embedded one, if you use it.",
        "'gaia doctor' looks at all of it; the index of memories is made anew at the start.",
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
    return {
        "path": str(verified.path),
        "users": verified.contents.users,
        "memories": verified.contents.memories,
        "messages": verified.contents.messages,
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
        "manifest": restored.manifest.model_dump(mode="json"),
    }


def _what_is_in_it(manifest: Manifest) -> str:
    with_what = "with keys and tokens" if manifest.with_secrets else "without keys and tokens"
    return f"{counted(len(manifest.files), 'file', 'files')} of {size(manifest.size)}, {with_what}"


def _when(manifest: Manifest) -> str:
    from gaia.cli.table import local_time

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
