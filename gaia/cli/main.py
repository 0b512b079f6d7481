"""The `gaia` command: where all of its parts are mounted, and its errors end.

A command is imported when it is called, and `gaia --help` imports all of them: each keeps
its own imports inside its function. Help in Rich's boxes would take more than twice as long.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Annotated, ClassVar

import typer

from gaia.cli.lazy_group import LazyGroup
from gaia.cli.leaving import leave_threads
from gaia.cli.standard_streams import open_closed_streams
from gaia.errors import GaiaError

INTERRUPTED = 130
"""128 and SIGINT, as shells have it."""

NO_PLUGINS = "PYDANTIC_DISABLE_PLUGINS"
"""To look for plugins pydantic reads the metadata of every package that is installed."""


class Commands(LazyGroup):
    """All commands, in the order in which the help lists them."""

    places: ClassVar[Mapping[str, str]] = {
        "chat": "gaia.cli.chat:chat_command",
        "serve": "gaia.cli.serve:serve_command",
        "setup": "gaia.cli.setup:setup_command",
        "status": "gaia.cli.status:status_command",
        "doctor": "gaia.cli.doctor:doctor_command",
        "jobs": "gaia.cli.jobs:jobs_command",
        "audit": "gaia.cli.audit:audit_command",
        "costs": "gaia.cli.costs:costs_command",
        "logs": "gaia.cli.logs:logs_command",
        "users": "gaia.cli.users:app",
        "memory": "gaia.cli.memory:app",
        "sessions": "gaia.cli.sessions:app",
        "outbox": "gaia.cli.outbox:app",
        "backup": "gaia.cli.backup:app",
        "config": "gaia.cli.config:app",
        "model": "gaia.cli.model:app",
        "service": "gaia.cli.service:app",
    }


app = typer.Typer(
    name="gaia",
    cls=Commands,
    help="A personal assistant that runs on your own machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def options(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print gaia's version."
        ),
    ] = False,
) -> None:
    """What stands before a command."""


@app.command()
def version() -> None:
    """Print gaia's version."""
    from gaia import __version__

    typer.echo(f"gaia {__version__}")


def main() -> None:
    """Run the command line; an error of gaia's own is one message and an exit code."""
    os.environ.setdefault(NO_PLUGINS, "1")
    open_closed_streams()
    try:
        _run()
    except SystemExit as exc:
        if isinstance(exc.code, int):
            leave_threads(exc.code)
        raise


def _run() -> None:
    try:
        app()
    except GaiaError as exc:
        typer.echo(f"error: {_without_secrets(str(exc))}", err=True)
        sys.exit(exc.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has seen enough; there is nobody to tell.
        sys.stderr.close()
        sys.exit(1)


def _without_secrets(message: str) -> str:
    """A provider may say again in its refusal what it was given."""
    from gaia.logs import Redaction

    return Redaction(())(message)
