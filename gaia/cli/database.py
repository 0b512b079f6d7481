"""`gaia database`: where gaia keeps what it knows, and how that gets into another database."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, ask_hidden, columns, echo_json, say
from gaia.cli.progress import counting
from gaia.text import counted

if TYPE_CHECKING:
    from sqlalchemy import URL

    from gaia.ops.database_copy.copy import Copied
    from gaia.paths import Home

app = typer.Typer(no_args_is_help=True, help="Where gaia keeps what it knows, and a move of it.")

SQLITE = "sqlite"
VARIABLE = "GAIA_COPY_TO"
EXAMPLE = "postgresql://db.example.org/gaia"
SECRET_OPTIONS = ("password", "sslpassword")


@app.command()
def show(as_json: AsJson = False) -> None:
    """Show which database it is, and how much is in it."""
    from gaia.ops.database_copy.sources import take_inventory
    from gaia.paths import find_home

    inventory = take_inventory(find_home())
    if as_json:
        echo_json(
            {
                "database": inventory.name,
                "revision": inventory.revision,
                "rows": dict(inventory.rows),
            }
        )
        return
    if inventory.revision is None:
        say(f"{inventory.name} has no tables yet.")
        return
    say(f"{inventory.name}, version {inventory.revision} of its tables")
    typer.echo(_as_table(inventory.rows))


@app.command()
def copy(
    to: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="An empty PostgreSQL database, or 'sqlite' for gaia.db in the home.",
            show_default=f"{VARIABLE}, or an address to be typed",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Copy all that gaia knows into another database, checked row by row.

    gaia must not run meanwhile. The database that is copied stays as it is. An address with a
    password is for GAIA_COPY_TO, or to be typed: others see what stands on a command line.
    """
    from gaia.ops.database_copy.copy import copy_database
    from gaia.paths import find_home

    home = find_home()
    target = _target(to)
    copied = copy_database(home, target, counting)
    if as_json:
        echo_json(copied_as_json(copied, home, target))
    else:
        say(copied_as_text(copied, home, target))


def _target(to: str | None) -> URL | None:
    """What is meant by `--to`, by the variable or by what is typed; None for gaia.db.

    Raises:
        StoreError: It is no address, or there is none.
    """
    from gaia.errors import StoreError
    from gaia.extras import POSTGRESQL
    from gaia.settings.urls import HiddenError
    from gaia.store.location import url_of

    text = (to if to is not None else os.environ.get(VARIABLE, "")).strip()
    if not text and to is None and sys.stdin.isatty():
        text = ask_hidden("Address of the target").strip()
    if text == SQLITE:
        return None
    problem = "there is no target"
    try:
        url = url_of(text)
    except HiddenError as exc:
        url, problem = None, f"the target {exc}"
    if url is None:
        raise StoreError(
            f"{problem}: say --to {EXAMPLE}, --to {SQLITE} for gaia.db in the home, or set "
            f"{VARIABLE} to one of these"
        )
    if not POSTGRESQL.is_installed:
        raise StoreError(f"PostgreSQL's driver is not installed: {POSTGRESQL.install_line}")
    return url


def copied_as_text(copied: Copied, home: Home, target: URL | None) -> str:
    """What was copied, and what comes next."""
    tables = sum(1 for number in copied.rows.values() if number)
    lines = [
        _as_table(copied.rows),
        "",
        f"Copied {counted(sum(copied.rows.values()), 'row', 'rows')} of "
        f"{counted(tables, 'table', 'tables')} into {_name_of(home, target)}: each row was "
        "compared, and is the same there.",
    ]
    if changed := sum(copied.changed_texts.values()):
        lines.append(
            f"But {counted(changed, 'text', 'texts')} (in {', '.join(copied.changed_texts)}) had a "
            "NUL, which PostgreSQL cannot hold: each of them is a replacement character now."
        )
    old = "the PostgreSQL database" if copied.was_postgres else str(home.database)
    lines += [
        _next_step(home, target),
        f"What was copied stays as it is in {old}: remove it once all is well. The vectors of "
        "memories are made again where they are kept elsewhere then.",
    ]
    return "\n".join(lines)


def copied_as_json(copied: Copied, home: Home, target: URL | None) -> dict[str, object]:
    """What was copied, for a script."""
    return {
        "target": _name_of(home, target),
        "rows": dict(sorted(copied.rows.items())),
        "changed_texts": dict(copied.changed_texts),
        "next": _next_step(home, target),
    }


def _next_step(home: Home, target: URL | None) -> str:
    if target is None:
        return (
            "gaia uses it once database.url is empty in gaia.yaml, and GAIA_DATABASE_URL is "
            f"neither in {home.env_file} nor in the environment."
        )
    shown = target.set(drivername="postgresql").difference_update_query(SECRET_OPTIONS)
    address = shown.render_as_string(hide_password=True)
    if target.password is None and not set(SECRET_OPTIONS) & set(target.query):
        return f"gaia uses it once {home.settings_file} has 'database: {{url: \"{address}\"}}'."
    return (
        f"gaia uses it once {home.env_file} has GAIA_DATABASE_URL={address}, with the password "
        "in its place."
    )


def _name_of(home: Home, target: URL | None) -> str:
    from gaia.store.postgres.faults import name_of

    return str(home.database) if target is None else name_of(target)


def _as_table(rows: Mapping[str, int]) -> str:
    filled = [(name, f"{number:,}") for name, number in sorted(rows.items()) if number]
    return columns(("TABLE", "ROWS"), filled)
