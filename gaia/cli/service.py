"""`gaia serve`, the daemon in the foreground, and `gaia service`, the daemon as a service of
this machine, started with it and looked after."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, echo_json, say

if TYPE_CHECKING:
    from gaia.ops.service.installer import Service, ServiceState, Steps
    from gaia.ops.service.unit import Unit
    from gaia.paths import Home

NOT_RUNNING = 3
NO_ANSWER = "systemd does not answer here, so only the unit's file changes."
INSTALLED = ("is installed", "is as it should be")
WRITTEN = ("is written", "is as it should be")
REMOVED = ("is removed", "is not there")
app = typer.Typer(no_args_is_help=True, help="gaia as a service, started with the machine.")
OfSystem = Annotated[
    bool, typer.Option("--system/--user", help="A service of the machine, or of your own user.")
]
WhicheverIsThere = Annotated[
    bool | None,
    typer.Option("--system/--user", help="Which one is meant. By default the one that is there."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only print what would be written.")]
Force = Annotated[bool, typer.Option("--force", help="Even if the unit was edited.")]


@app.command()
def install(
    system: OfSystem = False,
    run_as: Annotated[
        str, typer.Option("--run-as", help="The user of a service of the machine.")
    ] = "",
    now: Annotated[bool, typer.Option("--now/--not-now", help="Start it at once.")] = True,
    dry_run: DryRun = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Have systemd start gaia with the machine, and after failures."""
    from gaia.ops.service.unit import make_home
    from gaia.paths import find_home

    _need_systemd_of_linux()
    home, user = find_home(), ""
    if run_as and not system:
        raise typer.BadParameter(
            f"{run_as!r} needs --system: a service of your own user runs as you",
            param_hint="--run-as",
        )
    if system:
        home, user = _place_of_system_unit(run_as)
    unit = _unit(home, user)
    if dry_run:
        typer.echo(unit.signed_text, nl=False)
        return
    if system:
        _need_root("install")
        make_home(home, user)
    steps = _service(system).install(unit, force=force, starts=now)
    _say_steps(steps, INSTALLED if steps.has_manager else WRITTEN, as_json)


@app.command()
def uninstall(
    system: WhicheverIsThere = None, force: Force = False, as_json: AsJson = False
) -> None:
    """Stop the service and remove it. gaia's home stays, with all that is in it."""
    _need_systemd_of_linux()
    service = _installed(system)
    if service.written() is not None and not os.access(service.path.parent, os.W_OK):
        _need_root("uninstall")
    _say_steps(service.uninstall(force=force), REMOVED, as_json)


@app.command()
def status(system: WhicheverIsThere = None, as_json: AsJson = False) -> None:
    """Show how the service is. Exits with 3 when it does not run."""
    _need_systemd_of_linux()
    state = _installed(system).state()
    if as_json:
        echo_json(_as_json(state))
    else:
        typer.echo("\n".join(_in_words(state)))
    if not state.is_running:
        raise typer.Exit(NOT_RUNNING)


def _need_systemd_of_linux() -> None:
    from gaia.errors import ServiceError

    if sys.platform != "linux":
        raise ServiceError(
            "a gaia service needs systemd, which this system does not have: start 'gaia "
            "serve' in another way, on macOS by a launch agent in ~/Library/LaunchAgents that "
            "runs it with KeepAlive"
        )


def _need_root(command: str) -> None:
    from gaia.errors import ServiceError

    if os.geteuid():
        raise ServiceError(
            "a service of the machine is root's to change: run "
            f"'sudo {os.path.realpath(sys.argv[0])} service {command} --system' with the "
            "options that you gave"
        )


def _place_of_system_unit(run_as: str) -> tuple[Home, str]:
    """The home and the user of a service of the machine."""
    from gaia.ops.service.unit import home_of
    from gaia.paths import find_home

    user = run_as or os.environ.get("SUDO_USER", "")
    if not user:
        raise typer.BadParameter("name the user that gaia runs as: --run-as USER")
    default = home_of(user)
    return (find_home() if os.environ.get("GAIA_HOME") else default), user


def _unit(home: Home, run_as: str) -> Unit:
    from gaia.ops.service.unit import system_unit, user_unit
    from gaia.settings.load import load_settings

    settings = load_settings(home).settings
    return system_unit(home, settings, run_as) if run_as else user_unit(home, settings)


def _service(system: bool) -> Service:
    from gaia.ops.service.installer import service_of
    from gaia.ops.service.unit import Scope

    return service_of(Scope.SYSTEM if system else Scope.USER, os.environ)


def _installed(system: bool | None) -> Service:
    """The service that is meant, or the one that is there."""
    of_user, of_system = _service(system=False), _service(system=True)
    if system is None:
        system = of_user.written() is None and of_system.written() is not None
    return of_system if system else of_user


def _say_steps(steps: Steps, said: tuple[str, str], as_json: bool) -> None:
    if as_json:
        echo_json(
            {
                "path": str(steps.path),
                "changed": steps.is_changed,
                "manager": steps.has_manager,
                "by_hand": steps.by_hand,
            }
        )
        return
    changed, unchanged = said
    if not steps.has_manager:
        say(NO_ANSWER)
    say(f"{steps.path} {changed if steps.is_changed else unchanged}.")
    if steps.by_hand:
        later = "" if steps.has_manager else " where systemd runs"
        say(f"This is left for you to run{later}:")
        for command in steps.by_hand:
            typer.echo(f"  {command}")


def _as_json(state: ServiceState) -> dict[str, object]:
    return {
        "scope": state.scope,
        "path": str(state.path),
        "installed": state.is_installed,
        "edited": state.is_edited,
        "manager": state.has_manager,
        "enabled": state.enabled,
        "active": state.active,
        "result": state.result,
        "pid": state.pid,
        "restarts": state.restarts,
        "lingers": state.lingers,
    }


def _in_words(state: ServiceState) -> list[str]:
    whose = "your user" if state.scope == "user" else "the machine"
    if not state.is_installed:
        return [f"gaia is not installed as a service of {whose}: 'gaia service install' does it."]
    edited = ", edited by hand" if state.is_edited else ""
    lines = [f"unit      {state.path}{edited}"]
    if not state.has_manager:
        return [*lines, "state     unknown: systemd does not run here, or cannot be asked"]
    result = "" if state.result in ("", "success") else f" ({state.result})"
    pid = f", process {state.pid}" if state.pid else ""
    lines.append(f"state     {state.active or 'unknown'}{result}{pid}")
    lines.append(f"at boot   {state.enabled or 'unknown'}")
    if state.restarts:
        lines.append(f"restarts  {state.restarts} by systemd")
    if state.lingers is False:
        lines.append("lingering off: gaia ends when you log out ('loginctl enable-linger')")
    return lines


def serve_command() -> None:
    """Run the daemon in the foreground.

    SIGTERM or Ctrl-C lets the running turns end, a second one ends it at once.
    """
    import asyncio

    from gaia import garbage
    from gaia.paths import find_home

    with garbage.importing():
        from gaia.app.daemon import serve
        from gaia.logs.handlers import log_uncaught

    log_uncaught()
    asyncio.run(serve(find_home(), announce=announce))


def announce(code: str) -> None:
    """Print the owner's code, past the log, which keeps what it gets."""

    say(
        f"To pair yourself as owner write this code to the bot: {code} "
        "(valid for an hour; 'gaia users pair' makes another)",
        err=True,
    )
