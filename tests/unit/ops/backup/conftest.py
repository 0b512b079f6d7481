"""A home with something in it, and backups of it."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from gaia.ops.backup.create import Made, Wanted, make_backup
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.testing.clock import FakeClock
from tests.harness.book import Book

MEMORY = "the spare key is under the blue pot"
CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture
async def home(tmp_path: Path, fresh_home: Home) -> Home:
    """Ada's home, in which gaia remembers one thing."""
    home = Home(tmp_path / "home")
    shutil.copytree(fresh_home.root, home.root)
    home.settings_file.write_text("backup:\n  hour: 5\n")
    home.env_file.write_text(f"OPENAI_API_KEY={CANARY}\n")
    home.env_file.chmod(0o600)
    (home.logs / "gaia.log").write_text("a line of the log\n")
    (home.models / "weights.gguf").write_text("weights\n")
    database = await open_database(home)
    ada = await Users(database, FakeClock()).create("Ada", Role.OWNER)
    await Book(database).keep(ada, MEMORY)
    await database.close()
    return home


@pytest.fixture
def make(home: Home, tmp_path: Path) -> Callable[..., Awaitable[Made]]:
    """Makes a backup of the home in a folder beside it."""
    folder = tmp_path / "backups"
    folder.mkdir()

    async def make(**wanted: object) -> Made:
        wanted.setdefault("to", folder)
        return await make_backup(home, Wanted(**wanted), FakeClock())  # type: ignore[arg-type]

    return make
