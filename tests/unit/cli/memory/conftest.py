"""`gaia memory`, as it is called, in a home with or without users."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from typer.testing import CliRunner, Result

from gaia.cli.memory import app
from gaia.errors import GaiaError
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people import identities
from gaia.store.people.identities import Role, User
from gaia.testing.clock import START
from tests.harness.book import Book

T = TypeVar("T")


class Shell:
    """What a person does in a shell, and what is in the files then. The home comes into
    being with the first that is put into it, a copy of `fresh_home`."""

    def __init__(self, home: Home, fresh_home: Home) -> None:
        self.home = home
        self._fresh_home = fresh_home

    def run(self, *arguments: str, given: str | bytes = "") -> Result:
        env = {"GAIA_HOME": str(self.home.root), "COLUMNS": "80"}
        return CliRunner().invoke(app, arguments, env=env, input=given)

    def done(self, *arguments: str, given: str | bytes = "") -> str:
        """What a call printed that ended well."""
        result = self.run(*arguments, given=given)
        assert result.exception is None, (result.output, result.exception)
        return result.stdout

    def read(self, *arguments: str, given: str | bytes = "") -> Any:
        """What a script reads of a call."""
        return json.loads(self.done(*arguments, "--json", given=given))

    def failure(self, *arguments: str, given: str | bytes = "") -> GaiaError:
        result = self.run(*arguments, given=given)
        assert isinstance(result.exception, GaiaError), result.output
        return result.exception

    def texts(self, *arguments: str) -> list[str]:
        """What counts, the newest first."""
        return [each["text"] for each in self.read("list", "--all", *arguments)["memories"]]

    def user(self, name: str, *, is_group: bool = False) -> User:
        async def create(book: Book) -> User:
            role = Role.GUEST if is_group else Role.MEMBER
            return await book.database.write(
                identities.create, name, role, now=START, is_group=is_group
            )

        return self.book(create)

    def link(self, user: User, login: str) -> None:
        """Have `gaia chat` take a login for a user."""
        address = Address("terminal", login)

        async def act(book: Book) -> None:
            await book.database.write(identities.link, user, address, START)

        self.book(act)

    def book(self, act: Callable[[Book], Awaitable[T]]) -> T:
        """What `act` makes of the ledger in the home."""

        async def run() -> T:
            if not self.home.root.exists():
                shutil.copytree(self._fresh_home.root, self.home.root)
            database = await open_database(self.home)
            try:
                return await act(Book(database))
            finally:
                await database.close()

        return asyncio.run(run())


@pytest.fixture
def shell(tmp_path: Path, fresh_home: Home) -> Shell:
    return Shell(Home(tmp_path / "home"), fresh_home)


@pytest.fixture
def ada(shell: Shell) -> User:
    return shell.user("Ada")
