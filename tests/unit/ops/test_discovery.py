"""What a machine tells of its owner: names and metadata, and no more."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gaia.ops.discovery import Machine, discover

ME = """BEGIN:VCARD
VERSION:3.0
FN:Ada Lovelace
NICKNAME:Countess
BDAY:1985-12-10
ORG:Analytical Engines;Research
TITLE:Programmer
TEL:+441234567890
NOTE:a secret between us
END:VCARD
"""
GRACE = "BEGIN:VCARD\r\nFN:Grace Hopper\r\nBDAY:1906-12-09\r\nEND:VCARD\r\n"
CALENDAR = """BEGIN:VCALENDAR
X-WR-CALNAME;VALUE=TEXT:Family
BEGIN:VEVENT
SUMMARY:A private appointment
END:VEVENT
END:VCALENDAR
"""


def put(home: Path, name: str, content: str) -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def told(home: Path, **environ: str) -> dict[str, str]:
    environ = {"PATH": os.environ["PATH"], "TZ": "UTC", **environ}
    return {each.key: each.text for each in discover(Machine(home, environ))}


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
def test_git_tells_who_commits(tmp_path: Path) -> None:
    put(tmp_path, ".gitconfig", "[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n")
    found = told(tmp_path)
    assert found["git-name"] == "My name is Ada Lovelace."
    assert found["git-email"] == "My e-mail address is ada@example.org."


@pytest.mark.parametrize("zone", ["UTC", "Etc/UTC", "GMT", "/etc/localtime"])
def test_a_machine_in_utc_tells_no_time_zone(tmp_path: Path, zone: str) -> None:
    assert "time-zone" not in told(tmp_path, TZ=zone)


def test_the_time_zone_and_the_languages(tmp_path: Path) -> None:
    found = told(tmp_path, TZ=":Europe/Lisbon", LANG="pt_PT.UTF-8", LANGUAGE="pt:en")
    assert found["time-zone"] == "My time zone is Europe/Lisbon."
    assert found["languages"] == "My computer is set to the language pt, en, pt_PT."
    for nothing in ("C", "C.UTF-8", "POSIX", ""):
        assert "languages" not in told(tmp_path, LANG=nothing)


def test_calendars_are_told_by_their_names_alone(tmp_path: Path) -> None:
    put(tmp_path, "Calendars/a.ics", CALENDAR)
    put(tmp_path, ".calendars/work/displayname", "Work\n")
    put(tmp_path, ".calendars/work/8f3a.ics", CALENDAR.replace("X-WR-CALNAME", "X-OTHER"))
    put(
        tmp_path,
        ".config/evolution/sources/x.source",
        "[Data Source]\nDisplayName=Club\n[Calendar]\n",
    )
    put(tmp_path, ".config/evolution/sources/y.source", "[Data Source]\nDisplayName=Mail\n[Mail]\n")
    put(tmp_path, "Secret/b.ics", CALENDAR.replace("Family", "Elsewhere"))
    text = told(tmp_path)["calendars"]
    assert text.startswith("My calendars are called ")
    assert {*text.removeprefix("My calendars are called ").rstrip(".").split(", ")} == {
        "Family",
        "Work",
        "Club",
    }


def test_contacts_are_counted_and_ones_own_card_is_read(tmp_path: Path) -> None:
    put(tmp_path, ".gitconfig", "[user]\n\tname = Ada Lovelace\n")
    put(tmp_path, "Contacts/all.vcf", ME + GRACE)
    put(tmp_path, "Contacts/one.vcf", GRACE)
    found = told(tmp_path)
    assert found["contacts"] == "I have 3 contacts in my address book."
    assert found["card-nickname"] == "My nickname is Countess."
    assert found["card-birthday"] == "I was born on 10 December 1985."
    assert found["card-organisation"] == "I work at Analytical Engines, Research."
    everything = " ".join(found.values())
    for private in ("1906", "Grace", "+44", "secret"):
        assert private not in everything


def test_links_lead_nowhere(tmp_path: Path) -> None:
    put(tmp_path, "elsewhere/all.vcf", GRACE)
    (tmp_path / "home").mkdir()
    (tmp_path / "home/Contacts").mkdir()
    (tmp_path / "home/Contacts/all.vcf").symlink_to(tmp_path / "elsewhere/all.vcf")
    (tmp_path / "home/Contacts/more").symlink_to(tmp_path / "elsewhere")
    assert "contacts" not in told(tmp_path / "home")


def test_what_looks_like_a_credential_is_no_fact(tmp_path: Path) -> None:
    put(tmp_path, ".gitconfig", "[user]\n\tname = sk-proj-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n")
    assert "git-name" not in told(tmp_path)


def test_an_empty_home_tells_nothing_of_files(tmp_path: Path) -> None:
    assert not {"calendars", "contacts", "git-name"} & told(tmp_path).keys()
