"""What `gaia backup` prints, and how it exits."""

import json
import re
import shlex
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gaia.cli.main import app
from gaia.errors import (
    AlreadyRunningError,
    BackupDamagedError,
    BackupError,
    PassphraseError,
    SettingsError,
)
from gaia.ops.backup.archives import archive_name
from gaia.paths import Home
from gaia.store.lock import DaemonLock

CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    home = Home(tmp_path / "home")
    shutil.copytree(fresh_home.root, home.root)
    home.env_file.write_text(f"OPENAI_API_KEY={CANARY}\n")
    home.env_file.chmod(0o600)
    monkeypatch.setenv("GAIA_HOME", str(home.root))
    return home


def gaia(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["backup", *arguments], catch_exceptions=False)
    assert result.exit_code == code
    assert CANARY not in result.output
    return result.stdout


@pytest.mark.sqlite
def test_one_is_made_listed_verified_and_restored_into_a_file_of_its_own(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "There is no backup in" in gaia("list")
    made = json.loads(gaia("create", "--json"))
    assert made["encrypted"] is False
    assert made["manifest"]["with_secrets"] is False
    (listed,) = json.loads(gaia("list", "--json"))
    assert listed["path"] == made["path"]
    name = Path(made["path"]).name
    assert f"by hand  {name}" in gaia("list")
    assert "can be restored: 1 file" in gaia("verify", name)
    assert json.loads(gaia("verify", made["path"], "--json"))["ok"] is True

    monkeypatch.setenv("GAIA_HOME", str(tmp_path / "other"))
    told = gaia("restore", made["path"])
    assert f"to {tmp_path / 'other'}: 0 users, 0 memories" in told
    assert "Keys and tokens are not in this backup" in told
    assert "gaia model pull" in told
    with pytest.raises(BackupError, match="not empty"):
        gaia("restore", made["path"])


def test_the_newest_takes_the_place_of_a_home_which_is_kept(home: Home) -> None:
    with pytest.raises(BackupError, match="'gaia backup create' makes one"):
        gaia("restore", "latest", "--replace")
    gaia("create")
    assert "can be restored" in gaia("verify")
    home.models.mkdir(exist_ok=True)
    (home.models / "small.gguf").write_bytes(b"weights")
    (home.root / "gaia.yaml").write_text("backup:\n  hour: 7\n")
    with pytest.raises(BackupError, match="'gaia backup list' shows all"):
        gaia("restore", "mistyped.tar.gz", "--replace")
    told = gaia("restore", "latest", "--replace")
    (aside,) = home.root.parent.glob("home.before-*")
    assert f"What was there before is in {aside}" in told
    assert "Keys and tokens" not in told
    assert (aside / "gaia.yaml").read_text() == "backup:\n  hour: 7\n"
    assert not (home.root / "gaia.yaml").exists()
    assert CANARY in home.env_file.read_text()
    assert (home.models / "small.gguf").exists()
    assert len(json.loads(gaia("list", "--json"))) == 1


@pytest.mark.sqlite
def test_a_file_named_latest_is_none_of_the_backups(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = json.loads(gaia("create", "--json"))["path"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "latest").write_text("Dear diary")
    assert json.loads(gaia("verify", "latest", "--json"))["path"] == made
    with pytest.raises(BackupDamagedError):
        gaia("verify", "./latest")


@pytest.mark.sqlite
def test_one_of_the_future_is_not_the_latest(home: Home) -> None:
    made = Path(json.loads(gaia("create", "--json"))["path"])
    ahead = archive_name(datetime.now(UTC) + timedelta(days=9), nightly=True, encrypted=False)
    shutil.copy(made, made.with_name(ahead))
    assert json.loads(gaia("verify", "--json"))["path"] == str(made)
    made.unlink()
    assert json.loads(gaia("verify", "--json"))["path"] == str(made.with_name(ahead))


def test_a_restore_that_fails_leaves_the_home_as_it_was(home: Home) -> None:
    made = Path(json.loads(gaia("create", "--json"))["path"])
    made.write_bytes(made.read_bytes()[:-20])
    before = sorted(path.name for path in home.root.iterdir())
    with pytest.raises(BackupDamagedError):
        gaia("restore", "latest", "--replace")
    assert sorted({path.name for path in home.root.iterdir()} - {"daemon.lock"}) == before
    assert [path.name for path in home.root.parent.iterdir()] == ["home"]


def test_nothing_is_replaced_below_a_gaia_that_runs(home: Home) -> None:
    gaia("create")
    with DaemonLock(home), pytest.raises(AlreadyRunningError):
        gaia("restore", "latest", "--replace")
    assert home.database.exists()


def test_secrets_are_said_to_be_inside(home: Home, tmp_path: Path) -> None:
    told = gaia("create", "--with-secrets", "--to", str(tmp_path / "mine.tar.gz"))
    assert "with keys and tokens" in told
    assert "whoever has this file has your keys" in told
    assert (tmp_path / "mine.tar.gz").exists()


def test_the_command_that_is_shown_for_one_made_elsewhere_verifies_it(
    home: Home, tmp_path: Path
) -> None:
    told = gaia("create", "--to", str(tmp_path / "one.tar.gz"))
    (shown,) = re.findall(r"'gaia backup (verify .+)' checks", " ".join(told.split()))
    assert "one.tar.gz can be restored" in gaia(*shlex.split(shown))


def test_what_is_wrong_is_listed(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "mine.tar.gz"
    gaia("create", "--to", str(file))
    file.write_bytes(file.read_bytes()[:-20])
    report = json.loads(gaia("verify", str(file), "--json", code=1))
    assert (report["ok"], len(report["troubles"])) == (False, 1)
    with pytest.raises(BackupDamagedError, match="cannot be restored") as failure:
        gaia("verify", str(file))
    assert failure.value.exit_code == 1


def test_a_passphrase_that_nobody_can_type_is_asked_of_the_settings(home: Home) -> None:
    with pytest.raises(PassphraseError, match="set GAIA_BACKUP_PASSPHRASE"):
        gaia("create", "--encrypt")


def test_a_passphrase_that_cannot_be_read_is_no_reason_to_leave_it_out(home: Home) -> None:
    home.env_file.write_text("GAIA_BACKUP_PASSPHRASE=two\x07bells\n")
    with pytest.raises(SettingsError):
        gaia("create")
    assert not home.backups.exists()
