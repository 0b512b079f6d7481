"""The `gaia` command: where all of its parts are mounted, and its errors end.

A command is imported when it is called, and `gaia --help` imports all of them: each keeps
its own imports inside its function. Help in Rich's boxes would take more than twice as long.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import suppress
from typing import Annotated, Any, ClassVar, NoReturn

import typer
import typer.main
from typer.core import TyperGroup

from gaia.errors import GaiaError

USAGE = 2
"""The exit code of a command that is written wrongly."""

INTERRUPTED = 130
"""128 and SIGINT, as shells have it."""

NO_PLUGINS = "PYDANTIC_DISABLE_PLUGINS"
"""To look for plugins pydantic reads the metadata of every package that is installed."""

VALUES = {"user": "NAME", "name": "NAME", "since": "TIME", "until": "TIME", "due": "TIME"}
"""What the value of an option is called in its help, where its type does not say it."""

REFUSALS = {
    "int_parsing": "{value!r} is no whole number",
    "greater_than_equal": "{value!r} is less than {ge}",
    "less_than_equal": "{value!r} is more than {le}",
    "value_error": "{error}",
}
"""What is said of a value, in the place of pydantic's words, which do not name it."""

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


class LazyGroup(TyperGroup):
    """A group with the commands at `places`, beside those that it is given: to build all of
    them takes longer than most of them run."""

    places: ClassVar[Mapping[str, str]]

    def __init__(self, *, commands: Mapping[str, Any], **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LazyCommands(commands, self.places)


class Commands(LazyGroup):
    """All commands, in the order in which the help lists them."""

    places: ClassVar[Mapping[str, str]] = {
        "chat": "gaia.cli.chat:chat_command",
        "serve": "gaia.cli.service:serve_command",
        "setup": "gaia.cli.setup:setup_command",
        "status": "gaia.cli.status:status_command",
        "doctor": "gaia.cli.doctor:doctor_command",
        "jobs": "gaia.cli.jobs:jobs_command",
        "audit": "gaia.cli.audit:audit_command",
        "costs": "gaia.cli.costs:costs_command",
        "logs": "gaia.cli.logs:logs_command",
        "grow": "gaia.cli.grow:app",
        "users": "gaia.cli.users:app",
        "memory": "gaia.cli.memory:app",
        "sessions": "gaia.cli.sessions:app",
        "outbox": "gaia.cli.outbox:app",
        "backup": "gaia.cli.backup:app",
        "database": "gaia.cli.database:app",
        "config": "gaia.cli.config:app",
        "model": "gaia.cli.model:app",
        "service": "gaia.cli.service:app",
    }


app = typer.Typer(
    name="gaia",
    cls=Commands,
    help="A personal assistant that runs on your own machine.",
    no_args_is_help=True,
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
            exit_now(exc.code)
        raise


def _run() -> None:
    try:
        app()
    except GaiaError as exc:
        _end(str(exc), exc.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has seen enough; there is nobody to tell.
        sys.stderr.close()
        sys.exit(1)
    except OSError as exc:
        from gaia.logs.handlers import logs_uncaught

        if logs_uncaught():
            raise
        try:
            sys.stdout.flush()
        except OSError:
            with suppress(OSError):
                # The interpreter would try once more to write what is left, and tell it.
                sys.stdout.close()
        _end(_of_system(exc), GaiaError.exit_code)
    except ValueError:
        unread = [each for each in sys.argv if _has_surrogates(each)]
        if not unread:
            raise
        told = f"{unread[0]!r} is no text in UTF-8: write it in a terminal that is set to UTF-8"
        _end(told, USAGE)


def _has_surrogates(text: str) -> bool:
    """Whether bytes of it were no UTF-8."""
    return any("\ud800" <= each <= "\udfff" for each in text)


def _end(message: str, exit_code: int) -> NoReturn:
    from gaia.cli.console import in_whole_words

    with suppress(OSError):
        told = in_whole_words(f"error: {_without_secrets(message)}", sys.stderr)
        typer.echo(told, err=True)
    sys.exit(exit_code)


def _of_system(exc: OSError) -> str:
    what = "the system" if exc.filename is None else repr(exc.filename)
    cause = exc.strerror or str(exc) or type(exc).__name__
    if exc.errno == errno.ENOSPC:
        remedy = "free some space, or send the output elsewhere"
    elif isinstance(exc, PermissionError):
        remedy = "run this as the user that runs gaia, or mend the permissions"
    else:
        remedy = "see what is there, and 'gaia doctor' for the rest"
    return f"{what} refuses ({cause}): {remedy}"


def _without_secrets(message: str) -> str:
    """A provider may say again in its refusal what it was given."""
    from gaia.logs import Redaction

    return Redaction(())(message)


class LazyCommands(MutableMapping[str, Any]):
    """Commands by name. A place is `module:name` of a function, or of a Typer app."""

    def __init__(self, built: Mapping[str, Any], places: Mapping[str, str]) -> None:
        self._built = dict(built)
        self._places = places

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            self._built[name] = _build(name, self._places[name])
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._places, **self._built})

    def __len__(self) -> int:
        return len({*self._places, *self._built})


def _build(name: str, place: str) -> Any:
    module, _, attribute = place.partition(":")
    part = getattr(importlib.import_module(module), attribute)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    if isinstance(part, typer.Typer):
        alone.add_typer(part, name=name)
    else:
        alone.command(name)(part)
    command = typer.main.get_group(alone).commands[name]
    _name_values(command)
    return command


def _name_values(command: Any) -> None:
    """Have the help say NAME where it would say `<str>`, unless the values are a choice."""
    for each in getattr(command, "commands", {}).values():
        _name_values(each)
    for param in command.params:
        param.process_value = _naming_refused(param.process_value)
        if param.param_type_name == "argument":
            param.metavar = param.metavar or param.name.removesuffix("_name").upper()
            if param.name.endswith("_id"):
                param.metavar = "ID"
            if not param.type_descriptor.is_choice:
                param.display_type_rich = _no_type
        elif param.metavar is None and not (param.is_flag or param.type_descriptor.is_choice):
            param.metavar = VALUES.get(param.name) or _value_of(param.type_descriptor)


def _naming_refused(process: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Have the refusal of a value name it."""

    def naming(ctx: Any, value: Any) -> Any:
        try:
            return process(ctx, value)
        except typer.BadParameter as exc:
            for error in getattr(exc.__cause__, "errors", list)()[:1]:
                refusal = REFUSALS.get(error["type"], "{value!r}: {msg}")
                exc.message = refusal.format(
                    value=error["input"], msg=error["msg"], **error.get("ctx", {})
                )
            raise

    return naming


def _no_type(ctx: Any) -> None:
    """An argument's name says enough."""


def _value_of(described: Any) -> str:
    if described.is_path:
        return "PATH"
    return "NUMBER" if described.is_ranged else "TEXT"


def exit_now(exit_code: int) -> None:
    """End the process at once if an abandoned thread runs; else return.

    A thread that comes out of a library of another language while the interpreter ends
    aborts the process, and a service that was stopped counts as one that crashed. Call it
    last: everything is closed and on disk by then.
    """
    import logging
    import threading

    logging.shutdown()
    if not any(thread.daemon for thread in threading.enumerate()):
        return
    for stream in (sys.stdout, sys.stderr):
        # One that was closed, or whose reader has left, has nothing to be told.
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(exit_code)


def open_closed_streams() -> None:
    """Give each standard stream that is closed the null device.

    Otherwise the next file or socket gets its number, and what is printed
    lands in there. Called before anything else is opened. What an encoding has no
    sign for is printed as a question mark.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # It gets the lowest number that is free.
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")
