"""compose.yaml, as far as it can be checked without an engine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from gaia.paths import Home
from gaia.settings.load import load_settings
from gaia.settings.schema import Settings
from gaia.store.location import database_url

VALUES = {
    "POSTGRES_PASSWORD": "secret",
    "GAIA_DOMAIN": "gaia.example.org",
    "GAIA_TELEGRAM_BOT_TOKEN": "1234567:abcdefghijklmnopqrstuvwxyzABCDEFGHI",
    "GEMINI_API_KEY": "AIza" + "x" * 35,
}
PROGRAMS = {"bookworm": "15", "trixie": "17"}
"""The version of PostgreSQL whose client programs Debian's releases have."""

IN_BRACES = re.compile(r"\$\{(\w+)(?::[-?][^}]*)?\}")


@pytest.fixture
def compose(root: Path) -> dict[str, Any]:
    """compose.yaml, its variables replaced as Compose does."""
    text = (root / "compose.yaml").read_text()
    replaced = IN_BRACES.sub(lambda found: VALUES.get(found[1], ""), text)
    loaded: dict[str, Any] = yaml.safe_load(replaced)
    return loaded


def test_each_gaia_of_the_compose_file_has_a_home_of_its_own(compose: dict[str, Any]) -> None:
    gaias = [each for name, each in compose["services"].items() if name.startswith("gaia-")]
    volumes = [volume.split(":") for each in gaias for volume in each["volumes"]]
    homes = {source for source, target in volumes if target == "/home/gaia/.gaia"}
    assert len(homes) == len(gaias) == 2
    assert {source for source, _ in volumes} < set(compose["volumes"])


def test_they_share_a_folder_of_backups_which_the_image_has(
    compose: dict[str, Any], root: Path
) -> None:
    settings = yaml.safe_load(compose["configs"]["settings"]["content"])
    folder = settings["backup"]["folder"]
    for name in ("gaia-1", "gaia-2"):
        assert f"backups:{folder}" in compose["services"][name]["volumes"]
    # A volume gets the owner of the folder that it is put upon.
    assert folder in (root / "Dockerfile").read_text().split()


def test_its_server_is_of_the_version_of_the_programs_in_the_image(
    compose: dict[str, Any], root: Path
) -> None:
    dockerfile = (root / "Dockerfile").read_text()
    assert "postgresql-client" in dockerfile.split()
    (release,) = re.findall(r"^ARG BASE=python:[\d.]+-slim-(\w+)@", dockerfile, re.MULTILINE)
    assert compose["services"]["database"]["image"] == f"pgvector/pgvector:pg{PROGRAMS[release]}"


def test_its_settings_and_its_database_are_what_gaia_reads(
    compose: dict[str, Any], tmp_path: Path
) -> None:
    home = Home(tmp_path)
    home.settings_file.write_text(compose["configs"]["settings"]["content"])
    written = compose["services"]["gaia-1"]["environment"]
    environ = {name: value or "" for name, value in written.items()}
    loaded = load_settings(home, environ)
    assert loaded.warnings == ()
    assert loaded.settings.channels.telegram.mode == "webhook"
    assert loaded.settings.web.host == "0.0.0.0"
    url = database_url(home, environ)
    database = compose["services"]["database"]
    assert url is not None
    assert url.host in compose["services"]
    told = {
        each: database["environment"][f"POSTGRES_{each}"] for each in ("USER", "DB", "PASSWORD")
    }
    assert told == {"USER": url.username, "DB": url.database, "PASSWORD": url.password}


def test_its_proxy_asks_each_gaia_whether_it_is_ready(compose: dict[str, Any]) -> None:
    proxy = compose["configs"]["proxy"]["content"]
    port = Settings().web.port
    for name in ("gaia-1", "gaia-2"):
        assert f"{name}:{port}" in proxy
    assert "health_uri /readyz" in proxy
    used = {
        each["source"]
        for service in compose["services"].values()
        for each in service.get("configs", ())
    }
    assert used == set(compose["configs"])
    for service in compose["services"].values():
        assert set(service.get("depends_on", ())) <= set(compose["services"])
