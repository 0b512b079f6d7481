"""A request to gaia's own public address, made as a provider makes it, and why none gets there.

Redirects are not followed: a signature holds for one address alone.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

import httpx

from gaia.bounded_http import ANSWER_SECONDS, FAULTS, Answer, ask, causes
from gaia.findings import Finding, failed


async def post(
    url: str,
    form: Mapping[str, str],
    headers: Mapping[str, str],
    *,
    seconds: float = ANSWER_SECONDS,
) -> Answer | Finding:
    """The answer to a form that is posted, or why there is none, with a remedy."""
    try:
        return await ask("POST", url, headers=headers, form=form, seconds=seconds)
    except FAULTS as exc:
        return reason(urlsplit(url), exc, seconds)


def reason(url: SplitResult, exc: Exception, seconds: float) -> Finding:
    """Why a request to `url` that raised `exc` got no answer, and what to do about it."""
    known = (_known_fault(url, cause, seconds) for cause in causes(exc))
    found = next((finding for finding in known if finding is not None), None)
    return found or failed(
        f"{_place(url)} gives no answer over HTTP ({type(exc).__name__})",
        "Look at scheme and port of the address, and at the proxy's log.",
    )


def _known_fault(url: SplitResult, cause: BaseException, seconds: float) -> Finding | None:
    host, place = url.hostname or "", _place(url)
    match cause:
        case socket.gaierror(errno=socket.EAI_AGAIN):
            return failed(
                f"no DNS server answers for the name {host}",
                "Look at this machine's network, and at the DNS servers that it asks.",
            )
        case socket.gaierror() | UnicodeError():
            return failed(
                f"the name {host} is not known to the DNS",
                "Look for a typing mistake, or enter the name at your DNS provider. Some "
                "tunnels get another name at each start: put the present one into gaia.yaml.",
            )
        case ssl.SSLCertVerificationError():
            return failed(
                f"the certificate of {host} is not valid: {cause.verify_message}",
                f"Let the proxy have a certificate for {host} that browsers accept, with the "
                "whole chain, such as one of Let's Encrypt. Providers refuse any other.",
            )
        case ssl.SSLError():
            return failed(
                f"{place} speaks no TLS that is understood ({cause.reason})",
                "Let the proxy serve https on that port, or correct the port in the address.",
            )
        case ConnectionRefusedError():
            return failed(
                f"{place} refuses the connection",
                "Start the proxy or the tunnel, and let firewall and router pass the port on "
                "to it.",
            )
        case httpx.ConnectTimeout():
            return failed(
                f"{place} takes no connection within {seconds:g} s",
                "Open the port in firewall and router. Some routers do not lead back into "
                f"their own network: if {url.geturl()}, opened on a phone without Wi-Fi, "
                "gives an error 403, all is well.",
            )
        case TimeoutError() | httpx.TimeoutException():
            return failed(
                f"{place} gives no answer within {seconds:g} s",
                "Look at the proxy's log, and whether it passes /hooks/ on to gaia.",
            )
    return None


def _place(url: SplitResult) -> str:
    host = url.hostname or ""
    port = url.port or {"http": 80, "https": 443}.get(url.scheme, 0)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
