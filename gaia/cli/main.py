"""The `gaia` command: where all of its parts are mounted, and its errors end.

Whoever adds a command here keeps its imports inside the function: `gaia --help`
pays for typer alone; help in Rich's boxes would take more than twice as long.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from gaia.cli import backup, config, memory, model, outbox, service, sessions, users
from gaia.cli.audit import audit_command
from gaia.cli.chat import chat_command
from gaia.cli.costs import costs_command
from gaia.cli.doctor import doctor_command
from gaia.cli.jobs import jobs_command
from gaia.cli.leaving import leave_threads
from gaia.cli.logs import logs_command
from gaia.cli.serve import serve_command
from gaia.cli.setup import setup_command
from gaia.cli.standard_streams import open_closed_streams
from gaia.cli.status import status_command
from gaia.errors import GaiaError

INTERRUPTED = 130
"""128 and SIGINT, as shells have it."""

app = typer.Typer(
    name="gaia",
    help="A personal assistant that runs on your own machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("chat")(chat_command)
app.command("serve")(serve_command)
app.command("setup")(setup_command)
app.command("status")(status_command)
app.command("doctor")(doctor_command)
app.command("jobs")(jobs_command)
app.command("audit")(audit_command)
app.command("costs")(costs_command)
app.command("logs")(logs_command)
app.add_typer(users.app, name="users")
app.add_typer(memory.app, name="memory")
app.add_typer(sessions.app, name="sessions")
app.add_typer(outbox.app, name="outbox")
app.add_typer(backup.app, name="backup")
app.add_typer(config.app, name="config")
app.add_typer(model.app, name="model")
app.add_typer(service.app, name="service")


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
