"""`gaia status`: what the running daemon says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gaia.ops.report import StatusReport
    from gaia.paths import Home

ANSWER_SECONDS = 10.0


def status_command(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for a script to read.")
    ] = False,
) -> None:
    """Show whether gaia runs, what works, and what waits. Exits with 3 when it does not run."""
    from gaia.ops import status_text
    from gaia.paths import find_home

    report = _ask(find_home())
    typer.echo(report.model_dump_json(indent=2) if as_json else status_text.for_owner(report))


def _ask(home: Home) -> StatusReport:
    import httpx

    from gaia.errors import NotRunningError, StoreError
    from gaia.ops.report import StatusReport

    transport = httpx.HTTPTransport(uds=str(home.control_socket))
    try:
        with httpx.Client(transport=transport, timeout=ANSWER_SECONDS) as client:
            answer = client.get("http://gaia/local/status")
    except httpx.TransportError as exc:
        raise NotRunningError(
            f"gaia does not run in {str(home.root)!r}: start it with 'gaia serve'"
        ) from exc
    if answer.status_code != httpx.codes.OK:
        raise StoreError(answer.json()["error"])
    return StatusReport.model_validate_json(answer.content)
