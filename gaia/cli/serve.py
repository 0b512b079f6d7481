"""`gaia serve`: the daemon, in the foreground."""

from __future__ import annotations


def serve_command() -> None:
    """Run the daemon in the foreground.

    SIGTERM or Ctrl-C lets the running turns end, a second one ends it at once.
    """
    import asyncio

    from gaia import garbage
    from gaia.paths import find_home

    with garbage.importing():
        from gaia.app.daemon import serve
        from gaia.logs.uncaught import log_uncaught

    log_uncaught()
    asyncio.run(serve(find_home(), announce=announce))


def announce(code: str) -> None:
    """Print the owner's code, past the log, which keeps what it gets."""
    import typer

    typer.echo(
        f"To pair yourself as owner write this code to the bot: {code} "
        "(valid for an hour; 'gaia users pair' makes another)",
        err=True,
    )
