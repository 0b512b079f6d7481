"""Backups at the command line of a gaia that keeps everything in PostgreSQL."""

from __future__ import annotations

import json
import os

import pytest

from gaia.store.location import VARIABLE


@pytest.fixture(autouse=True)
def kept_there(postgres, monkeypatch):
    monkeypatch.setenv(VARIABLE, postgres.database().render_as_string(hide_password=False))
    monkeypatch.setenv("PATH", str(postgres.bin), prepend=os.pathsep)


async def test_a_backup_is_made_verified_and_put_back(home, run_gaia):
    async def says(*arguments: str) -> str:
        done = await run_gaia(home, *arguments)
        assert (done.code, done.stderr) == (0, "")
        return done.stdout

    home.settings_file.write_text("memory: {enabled: false}\n")
    await says("users", "add", "Ada", "--role", "owner")
    made = json.loads(await says("backup", "create", "--json"))
    assert made["manifest"]["database"] == "postgresql"
    assert "1 user" in await says("backup", "verify")
    await says("users", "add", "Bob")
    said = await says("backup", "restore", "latest", "--replace")
    assert "The tables of before are in the schema gaia_before_" in said
    listed = await says("users", "list")
    assert ("Ada" in listed, "Bob" in listed) == (True, False)
    assert not home.database.exists()
    assert not home.dump.exists()
