"""What a machine tells of its owner by names and metadata: who commits, the time zone, languages,
what calendars are called, the address book.

Nothing is stored here, and of a file no more is read than what it is called and, of an address
book, how many cards it has and its owner's own.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from pathlib import Path

from gaia.errors import UnfitMemoryError
from gaia.files import read_bounded
from gaia.memory import ledger
from gaia.paths import expanded
from gaia.text import counted
from gaia.zones import is_utc, local_zone

PLACES = (
    *("Calendars", ".calendars", ".calendar", ".contacts", "Contacts", ".local/share/calendars"),
    *(".local/share/contacts", ".local/share/evolution", ".config/evolution/sources"),
    *(".local/share/gnome-calendar", ".local/share/korganizer", ".local/share/vdirsyncer"),
    *("Library/Calendars", "Library/Application Support/AddressBook"),
    *("Documents", "Downloads", "Desktop"),
)
"""Folders of a home in which calendars and contacts are kept, or saved."""

MOST_FILES = 20_000
DEEPEST = 5
LARGEST_BYTES = 20_000_000
MOST_NAMED = 10
GIT_SECONDS = 5.0

_NO_LANGUAGE = re.compile(r"(?:|C|POSIX)(?:\..*)?", re.IGNORECASE)
_CALENDAR_NAME = re.compile(rb"^X-WR-CALNAME(?:;[^:\r\n]*)?:([^\r\n]{1,80})", re.MULTILINE)
_SOURCE_NAME = re.compile(rb"^DisplayName=([^\r\n]{1,80})", re.MULTILINE)
_CARD = re.compile(r"BEGIN:VCARD.*?END:VCARD", re.DOTALL | re.IGNORECASE)
_HEAD_BYTES = 4_000


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that was found: `key` names it for scripts, `source` tells where."""

    key: str
    text: str
    source: str
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Machine:
    """What is looked at: a person's home folder, and their environment."""

    home: Path
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    @classmethod
    def here(cls) -> Machine:
        """This machine, for whoever runs the process."""
        return cls(expanded("~"))


def discover(machine: Machine) -> Sequence[Fact]:
    """What the machine tells; what cannot be looked at tells nothing. Blocks."""
    name = _git(machine, "user.name")
    found = [
        *_said("git-name", "My name is {}.", name, "git's user.name"),
        *_said("git-email", "My e-mail address is {}.", _git(machine, "user.email"), "git"),
    ]
    if not name:
        found += _said("account-name", "My name is {}.", _account_name(), "the account's name")
    found += [*_zone(machine), *_languages(machine)]
    files = list(islice(_files(machine.home), MOST_FILES))
    found += [*_calendars(files), *_contacts(files, name)]
    return [each for each in found if _is_fit(each)]


def _said(key: str, sentence: str, told: str, source: str) -> Iterator[Fact]:
    if told:
        yield Fact(key, sentence.format(told), source)


def _git(machine: Machine, key: str) -> str:
    """What git is told on this machine, apart from any repository."""
    git = shutil.which("git", path=machine.environ.get("PATH"))
    if git is None:
        return ""
    try:
        done = subprocess.run(
            [git, "config", "--global", "--includes", "--get", key],
            env={**machine.environ, "HOME": str(machine.home)},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return " ".join(done.stdout.decode(errors="replace").split())[:100]


def _account_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_gecos.partition(",")[0].strip()
    except KeyError:
        return ""


def _zone(machine: Machine) -> Iterator[Fact]:
    name = machine.environ.get("TZ", "").removeprefix(":") or str(local_zone())
    if "/" in name and not name.startswith("/") and not is_utc(name):
        yield Fact("time-zone", f"My time zone is {name}.", "the machine's clock", name)


def _languages(machine: Machine) -> Iterator[Fact]:
    """The languages of the desktop, as their codes: `pt_PT`."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    first = next((machine.environ[name] for name in names if machine.environ.get(name)), "")
    told = [*machine.environ.get("LANGUAGE", "").split(":"), first]
    codes = [each.partition(".")[0] for each in told if not _NO_LANGUAGE.fullmatch(each)]
    listed = ", ".join(dict.fromkeys(codes))
    yield from _said("languages", "My computer is set to the language {}.", listed, "the locale")


def _calendars(files: Sequence[Path]) -> Iterator[Fact]:
    names = dict.fromkeys(filter(None, map(_calendar_name, files)))
    listed = ", ".join(islice(names, MOST_NAMED))
    yield from _said("calendars", "My calendars are called {}.", listed, "names of calendars")


def _calendar_name(file: Path) -> str:
    """What the calendar of a file is called; empty where the file tells of none."""
    if file.suffix.casefold() == ".ics":
        # Programs name the file of each event by a number.
        found = _CALENDAR_NAME.search(_head(file))
    elif file.suffix == ".source" and b"[Calendar]" in (head := _head(file)):
        found = _SOURCE_NAME.search(head)
    elif file.name == "displayname" and file.parent.parent.name.endswith("calendars"):
        return _head(file).decode(errors="replace").strip()[:80]
    else:
        return ""
    return found[1].decode(errors="replace").strip() if found else ""


def _contacts(files: Sequence[Path], own_name: str) -> Iterator[Fact]:
    cards = [
        card
        for file in files
        if file.suffix.casefold() == ".vcf"
        for card in _CARD.findall(_content(file))
    ]
    if not cards:
        return
    number = counted(len(cards), "contact", "contacts")
    yield Fact("contacts", f"I have {number} in my address book.", "vCard files")
    own = next((card for card in cards if own_name and _value(card, "FN") == own_name), None)
    if own is not None:
        yield from _own_card(own)


def _own_card(card: str) -> Iterator[Fact]:
    source = "my own card"
    born = _date(_value(card, "BDAY"))
    if born is not None:
        yield Fact("card-birthday", f"I was born on {born.day} {born:%B %Y}.", source)
    for key, name, sentence in (
        ("card-nickname", "NICKNAME", "My nickname is {}."),
        ("card-organisation", "ORG", "I work at {}."),
        ("card-title", "TITLE", "My job title is {}."),
    ):
        told = _value(card, name).replace("\\,", ",").replace(";", ", ").strip(", ")
        yield from _said(key, sentence, told, source)


def _value(card: str, name: str) -> str:
    found = re.search(rf"^(?:item\d+\.)?{name}(?:;[^:\r\n]*)?:(.{{1,100}})$", card, re.M | re.I)
    return found[1].strip() if found else ""


def _date(told: str) -> date | None:
    digits = told.replace("-", "")[:8]
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return None


def _files(home: Path) -> Iterator[Path]:
    """The files in the folders that are looked at, without what links lead to."""
    for place in PLACES:
        top = home / place
        for folder, folders, names in os.walk(top):
            if len(Path(folder).relative_to(top).parts) >= DEEPEST:
                folders.clear()
            folders.sort()
            for name in sorted(names):
                file = Path(folder, name)
                if not file.is_symlink():
                    yield file


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_HEAD_BYTES)
    except OSError:
        return b""


def _content(file: Path) -> str:
    try:
        return read_bounded(file, LARGEST_BYTES).decode(errors="replace")
    except OSError:
        return ""


def _is_fit(fact: Fact) -> bool:
    try:
        ledger.checked(fact.text)
    except UnfitMemoryError:
        return False
    return True
