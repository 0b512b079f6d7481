"""A signed request to gaia's own public address, as Twilio would make it, and what its
answer tells: that Twilio reaches this gaia, or what stands in the way.

The answer proves that it comes from a gaia with the same auth token; a page of somebody
else's does not pass for it. Redirects are not followed: a signature holds for one address
alone.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import SplitResult, urlsplit

import httpx

from channels.base.intake import one_line
from channels.whatsapp.requests import HEADER, Params, Signatures, read_form
from gaia.bounded_http import ANSWER_SECONDS, FAULTS, Answer, ask, causes
from gaia.findings import Finding, failed, ok, warning
from gaia.messages import HookAnswer

CHECK_PATH = "check"
_NONCE = "Nonce"
_NONCE_CHARACTERS = 64
_PROOF = "gaia"


@dataclass(frozen=True, slots=True)
class Route:
    """How Twilio gets to gaia: the public address, and where a proxy has to pass on to."""

    public_url: str
    listens_at: str


def answer(auth_token: str, body: bytes) -> HookAnswer:
    """Answer a check whose signature was found to be right."""
    try:
        nonce = read_form(body).get(_NONCE)
    except ValueError:
        nonce = ""
    if not 0 < len(nonce) <= _NONCE_CHARACTERS:
        return HookAnswer(400, b"no nonce")
    proof = json.dumps({_PROOF: _proof(auth_token, nonce)})
    return HookAnswer(200, proof.encode(), "application/json")


async def round_trip(
    route: Route, auth_token: str, *, seconds: float = ANSWER_SECONDS
) -> Sequence[Finding]:
    """Make two requests, a signed one and one to be refused, and return what they tell."""
    signatures = Signatures(auth_token, route.public_url)
    hooks, url = signatures.address(""), signatures.address(CHECK_PATH)
    form = {_NONCE: secrets.token_hex(_NONCE_CHARACTERS // 2)}
    signed = {HEADER: signatures.sign(url, Params.of(form))}
    found = await post(url, form, signed, seconds=seconds)
    if isinstance(found, Finding):
        return [found]
    if not _is_proof(found, auth_token, form[_NONCE]):
        return [_explained(found, hooks, route)]
    unsigned = await post(url, form, {}, seconds=seconds)
    if isinstance(unsigned, Answer) and unsigned.status == 403:
        return [ok(f"{hooks} leads to this gaia, and refuses what is not signed")]
    return [ok(f"{hooks} leads to this gaia"), _unrefused(unsigned, auth_token, form[_NONCE])]


def _proof(auth_token: str, nonce: str) -> str:
    return hmac.new(auth_token.encode(), f"gaia check: {nonce}".encode(), sha256).hexdigest()


def _is_proof(answer: Answer, auth_token: str, nonce: str) -> bool:
    if answer.status != 200:
        return False
    try:
        said = json.loads(answer.body)
    except (ValueError, RecursionError):
        return False
    shown = said.get(_PROOF) if isinstance(said, dict) else None
    if not isinstance(shown, str):
        return False
    return hmac.compare_digest(shown.encode("utf-8", "replace"), _proof(auth_token, nonce).encode())


def _unrefused(unsigned: Answer | Finding, auth_token: str, nonce: str) -> Finding:
    if isinstance(unsigned, Finding):
        return warning(f"an unsigned request gets no answer: {unsigned.detail}", unsigned.remedy)
    if _is_proof(unsigned, auth_token, nonce):
        return failed(
            "a request without signature is taken",
            "This is a mistake in gaia: switch the channel off and report it.",
        )
    return warning(
        f"a request without signature is answered with {unsigned.status} by something before gaia",
        "Let the proxy pass everything below /hooks/ on, and answer nothing itself.",
    )


def _explained(answer: Answer, hooks: str, route: Route) -> Finding:
    """Explain an answer that is not gaia's own."""
    pass_on = f"Let the proxy pass /hooks/ on to {route.listens_at}, path and all"
    match answer.status:
        case 404 | 405 | 410:
            return failed(
                f"{hooks} is answered with {answer.status}",
                f"{pass_on}. If it does, restart gaia: it runs without the WhatsApp channel.",
            )
        case 403:
            return failed(
                f"{hooks} refuses the signature (403)",
                "Restart gaia if gaia.yaml or .env changed since its start. If that does not help, "
                "another gaia with another auth token answers there, or the proxy changes path or "
                "body, or drops the header X-Twilio-Signature.",
            )
        case 401 | 407:
            return failed(
                f"{hooks} asks for a password ({answer.status})",
                "Let the proxy ask for none below /hooks/: gaia checks the signature itself.",
            )
        case 502 | 503 | 504:
            return failed(
                f"the proxy is there, and gaia is not, or not yet ready ({answer.status})",
                f"Start gaia, and look at 'gaia status'. If it runs: {_lower(pass_on)}.",
            )
        case status if status >= 500:
            return failed(
                f"{hooks} is answered with {status}",
                "Look at the log of the proxy or the tunnel, then at gaia's.",
            )
        case status if 300 <= status < 400:
            return failed(
                f"{hooks} leads on to {one_line(answer.location, 120) or 'nowhere'} ({status})",
                "Set channels.whatsapp.public_url to the address at which no redirect comes: "
                "Twilio's signature holds for one address alone.",
            )
        case status if status >= 400:
            return failed(
                f"{hooks} refuses the request ({status})", f"Look at the proxy's log. {pass_on}."
            )
    kind = one_line(answer.media_type, 40) or "nothing"
    return failed(
        f"{hooks} is answered by something else than gaia ({answer.status}, {kind})",
        f"{pass_on}. A page of a tunnel's that asks to go on has to be switched off.",
    )


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


async def post(
    url: str,
    form: Mapping[str, str],
    headers: Mapping[str, str],
    *,
    seconds: float = ANSWER_SECONDS,
) -> Answer | Finding:
    """Post a form, and return the answer, or why there is none, with a remedy."""
    try:
        return await ask("POST", url, headers=headers, form=form, seconds=seconds)
    except FAULTS as exc:
        return reason(urlsplit(url), exc, seconds)


def reason(url: SplitResult, exc: Exception, seconds: float) -> Finding:
    """Explain why a request to `url` that raised `exc` got no answer, and what to do about it."""
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
