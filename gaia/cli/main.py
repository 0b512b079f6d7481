"""The `gaia` command."""

from __future__ import annotations

import typer

app = typer.Typer(name="gaia", no_args_is_help=True, add_completion=False)


def main() -> None:
    """Run the command line."""
    app()
