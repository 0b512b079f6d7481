"""Memories as a folder of Markdown that its user may edit: MEMORY.md, a file for each person in
people/, and one for each day's conversations in days/.

Behind each memory stands a comment with its number, such as `<!-- gaia:12 2026-05-03 -->`, by
which it is known again after the edit. A file beside them, without a word of theirs, has a hash
of each as it was written: so a line that was deleted differs from one that never was there, and a
line that was edited from a memory that changed.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, ValidationError

from gaia.errors import FolderEditedError, MemoryFileError
from gaia.files import read_bounded, rewrite
from gaia.memory.memory import Memory
from gaia.memory.people.entities import entity
from gaia.memory.transfer.export import printable, title
from gaia.memory.transfer.record import HEADINGS, bullet_lines, by_kind, from_markdown
from gaia.store.memory_tables import MemoryKind

MEMORY_FILE = "MEMORY.md"
PEOPLE, DAYS = "people", "days"
MANIFEST = ".gaia.json"

LARGEST_BYTES = 50_000_000
LONGEST_NAME_BYTES = 200

Files = Mapping[str, bytes]
"""What stands in each file of a folder, by its name within it."""

_MARK = re.compile(r"\s*<!--\s*gaia:(?P<number>\d{1,18})\b[^>]*-->\s*$", re.ASCII)
_FILE = re.compile(rf"{re.escape(MEMORY_FILE)}|(?:{PEOPLE}|{DAYS})/[^/.][^/]*\.md")


class Manifest(BaseModel):
    """Whose memories a folder holds, and as what each was written there, by number."""

    model_config = ConfigDict(frozen=True)

    user_id: str
    memories: Mapping[int, str]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A memory as it stands in a folder. `memory_id` is the number behind it, `about` whom its
    file is about, and `day` the day."""

    file: str
    line: int
    text: str
    kind: MemoryKind
    memory_id: int | None = None
    about: str = ""
    day: date | None = None

    @property
    def said_at(self) -> datetime | None:
        """When it was said, if its file tells."""
        return None if self.day is None else datetime.combine(self.day, time(12)).astimezone()


def canonical(text: str) -> str:
    """What an editor leaves of a text: without spaces at the ends of lines."""
    lines = (line.rstrip() for line in printable(text).split("\n"))
    return unicodedata.normalize("NFC", "\n".join(lines).strip())


def fingerprint(kind: MemoryKind, text: str) -> str:
    """The same for as long as a memory says the same in a folder."""
    return hashlib.sha256(f"{kind}\n{canonical(text)}".encode()).hexdigest()[:32]


def write(
    folder: Path,
    user_id: str,
    user_name: str,
    memories: Sequence[Memory],
    about: Mapping[int, Sequence[str]],
    *,
    over: Files | None = None,
) -> Manifest:
    """Write the memories into a folder, each into its file, and remove files of an earlier
    writing that nothing belongs into any more. `over` is what was read there, and is to be
    written over. Blocks.

    Raises:
        FolderEditedError: It holds something else by now; nothing is written.
        MemoryFileError: It cannot be read.
        OSError: It cannot be written.
    """
    before = read_manifest(folder)
    files = _layout(user_name, memories, about)
    if over is not None and read_files(folder) != over:
        raise FolderEditedError(f"{str(folder)!r} was edited meanwhile: import it once more")
    for name, lines in files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = "".join(f"{line}\n" for line in lines).encode()
        _put(path, content)
    for name in before.files if before else ():
        if name not in files and _FILE.fullmatch(name):
            (folder / name).unlink(missing_ok=True)
    written = {each.memory_id: fingerprint(each.kind, each.text) for each in memories}
    manifest = Manifest(user_id=user_id, memories=written, files=tuple(files))
    _put(folder / MANIFEST, manifest.model_dump_json().encode())
    return manifest


def _put(path: Path, content: bytes) -> None:
    """Write a file, unless it is as it should be: who watches the folder would be woken."""
    if not path.is_file() or path.read_bytes() != content:
        rewrite(path, content)


def read_manifest(folder: Path) -> Manifest | None:
    """What was written into a folder; None where nothing was. Blocks.

    Raises:
        MemoryFileError: It cannot be read.
    """
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(read_bounded(path, LARGEST_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValidationError) as exc:
        raise MemoryFileError(
            f"{str(path)!r} cannot be read: export into an empty folder, and edit there"
        ) from exc


def is_empty(folder: Path) -> bool:
    """Whether nothing stands in a folder, or there is none yet. Blocks."""
    return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def read_files(folder: Path) -> Files:
    """The files of memories that stand in a folder. Blocks.

    Raises:
        MemoryFileError: It cannot be read.
    """
    if not folder.is_dir():
        raise MemoryFileError(
            f"{str(folder)!r} is no folder: 'gaia memory export --markdown' makes one"
        )
    found = (path for part in (".", PEOPLE, DAYS) for path in (folder / part).glob("*.md"))
    paths = ((each.relative_to(folder).as_posix(), each) for each in found)
    return {name: _content(path) for name, path in sorted(paths) if _FILE.fullmatch(name)}


def _content(path: Path) -> bytes:
    try:
        return read_bounded(path, LARGEST_BYTES)
    except OSError as exc:
        raise MemoryFileError(
            f"{str(path)!r} cannot be read ({exc.strerror}): check its rights"
        ) from exc


def lines_of(files: Files) -> Sequence[Line]:
    """All memories that stand in the files of a folder.

    Raises:
        MemoryFileError: One is not UTF-8.
    """
    return [line for name, content in files.items() for line in _lines(name, _text(name, content))]


def _text(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise MemoryFileError(f"{name!r} is not UTF-8: save it as UTF-8, and import that") from exc


def _lines(name: str, content: str) -> Iterator[Line]:
    path = PurePosixPath(name)
    folder = path.parent.name
    about = entity(f"person:{path.stem}") if folder == PEOPLE else ""
    day = _day(path.stem) if folder == DAYS else None
    for item in from_markdown(content.split("\n")):
        text, kind = item.record.text, item.record.kind
        if folder == DAYS and kind is MemoryKind.FACT:
            kind = MemoryKind.EPISODE
        mark = _MARK.search(text)
        number = int(mark["number"]) if mark else None
        words = text[: mark.start()] if mark else text
        if words.strip():
            yield Line(name, item.line, words.strip(), kind, number, about, day)


def _day(stem: str) -> date | None:
    try:
        return date.fromisoformat(stem)
    except ValueError:
        return None


def _layout(
    user_name: str, memories: Sequence[Memory], about: Mapping[int, Sequence[str]]
) -> Mapping[str, Sequence[str]]:
    """The lines of each file."""
    by_file: dict[str, list[Memory]] = {MEMORY_FILE: []}
    titles = {MEMORY_FILE: title(user_name)}
    own = entity(f"person:{user_name}")
    for each in memories:
        if each.kind is MemoryKind.EPISODE:
            name = each.valid_from.astimezone().date().isoformat()
            file = f"{DAYS}/{name}.md"
        else:
            people = (one for one in about.get(each.memory_id, ()) if one.startswith("person:"))
            name = next((one for one in people if one != own), "").removeprefix("person:")
            file = f"{PEOPLE}/{_file_name(name)}.md" if name else MEMORY_FILE
            name = name.replace("_", " ").title()
        titles.setdefault(file, name)
        by_file.setdefault(file, []).append(each)
    return {
        file: list(_written(titles[file], found, is_day=file.startswith(f"{DAYS}/")))
        for file, found in by_file.items()
    }


def _file_name(name: str) -> str:
    return name.encode()[:LONGEST_NAME_BYTES].decode(errors="ignore")


def _written(head: str, memories: Sequence[Memory], *, is_day: bool) -> Iterator[str]:
    yield f"# {head}"
    for kind, of_kind in by_kind(memories):
        yield from ("",) if is_day else ("", f"## {HEADINGS[kind]}", "")
        for each in of_kind:
            yield from bullet_lines(f"{canonical(each.text)}{_mark(each)}")


def _mark(memory: Memory) -> str:
    told = [memory.valid_from.astimezone().date().isoformat()]
    told += [f"due {memory.due_at.astimezone():%Y-%m-%d %H:%M}"] if memory.due_at else []
    told += [name for name in ("pinned", "sensitive") if getattr(memory, name)]
    return f" <!-- gaia:{memory.memory_id} {', '.join(told)} -->"
