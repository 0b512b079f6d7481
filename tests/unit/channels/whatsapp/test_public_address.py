"""Why nothing answers at a public address, in words for the owner."""

from __future__ import annotations

import asyncio
import datetime
import gzip
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from channels.whatsapp.round_trip import post, reason
from gaia.bounded_http import ANSWER_BYTES, Answer
from gaia.findings import Finding, Outcome

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

REDIRECT = b"HTTP/1.1 301 X\r\nLocation: https://b.example/\r\nContent-Length: 0\r\n\r\n"


@asynccontextmanager
async def listening(talk: Talk, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """The port of somebody who talks so."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def saying(answer: bytes) -> Talk:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(answer)
        await writer.drain()

    return talk


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while not reader.at_eof():
        writer.write(b".")
        await writer.drain()
        await asyncio.sleep(0.005)


@pytest.fixture(scope="module")
def own_certificate(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """A certificate that nobody vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    file: Path = tmp_path_factory.mktemp("tls") / "both.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


async def found(url: str, seconds: float = 5.0) -> Finding:
    finding = await post(url, {"a": "1"}, {}, seconds=seconds)
    assert isinstance(finding, Finding)
    assert finding.outcome is Outcome.FAILED
    assert finding.remedy
    return finding


async def test_an_answer_is_told_as_it_came_and_redirects_are_not_followed() -> None:
    async with listening(saying(REDIRECT)) as port:
        answer = await post(f"http://127.0.0.1:{port}/", {}, {})
    assert isinstance(answer, Answer)
    assert (answer.status, answer.body, answer.location) == (301, b"", "https://b.example/")


async def test_of_a_long_answer_only_the_start_is_read() -> None:
    start = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"
    async with listening(saying(start + b"." * (2 * ANSWER_BYTES))) as port:
        answer = await post(f"http://127.0.0.1:{port}/", {}, {})
    assert isinstance(answer, Answer)
    assert len(answer.body) == ANSWER_BYTES


async def test_what_unpacks_to_more_than_it_is_stays_packed() -> None:
    packed = gzip.compress(b"." * 50_000_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    async with listening(saying(head % len(packed) + packed)) as port:
        answer = await post(f"http://127.0.0.1:{port}/", {}, {})
    assert isinstance(answer, Answer)
    assert (answer.status, answer.body) == (200, b"")


async def test_a_name_that_there_is_not() -> None:
    finding = await found("https://gaia..example/hooks")
    assert finding.detail == "the name gaia..example is not known to the DNS"


async def test_a_certificate_that_nobody_vouches_for(own_certificate: ssl.SSLContext) -> None:
    async with listening(saying(b""), own_certificate) as port:
        finding = await found(f"https://localhost:{port}/")
    assert finding.detail.startswith("the certificate of localhost is not valid: self")


async def test_a_port_that_speaks_no_tls() -> None:
    async with listening(saying(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        finding = await found(f"https://127.0.0.1:{port}/")
    assert f"127.0.0.1:{port} speaks no TLS" in finding.detail


async def test_a_port_at_which_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert (await found(f"http://127.0.0.1:{port}/")).detail.endswith("refuses the connection")


@pytest.mark.parametrize("talk", [silent, dripping])
async def test_somebody_who_comes_to_no_answer(talk: Talk) -> None:
    async with listening(talk) as port:
        finding = await found(f"http://127.0.0.1:{port}/", seconds=0.2)
    assert finding.detail == f"127.0.0.1:{port} gives no answer within 0.2 s"


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH\r\n"])
async def test_somebody_who_speaks_no_http(answer: bytes) -> None:
    async with listening(saying(answer)) as port:
        finding = await found(f"http://127.0.0.1:{port}/")
    assert "gives no answer over HTTP" in finding.detail


@pytest.mark.parametrize(
    ("exc", "said"),
    [
        (
            socket.gaierror(socket.EAI_AGAIN, "later"),
            "no DNS server answers for the name a.example",
        ),
        (TimeoutError(), "a.example:443 takes no connection within 10 s"),
        (OSError(113, "No route to host"), "a.example:443 gives no answer over HTTP"),
    ],
)
def test_what_only_a_network_can_do(exc: Exception, said: str) -> None:
    timed_out = isinstance(exc, TimeoutError)
    raised = httpx.ConnectTimeout("") if timed_out else httpx.ConnectError("")
    raised.__cause__ = exc
    assert said in reason(urlsplit("https://a.example/x"), raised, 10.0).detail
