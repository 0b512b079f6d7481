"""A way to a PostgreSQL server that breaks, or stands still, while a transaction commits: before
the server has heard of it, or after it has done it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

PIECE = 65536
SOCKET = ".s.PGSQL.5432"
COMMIT = b"COMMIT\0"
READ = "read"
WRITTEN = "written"
STILL = "still"


class Way:
    """Hands on what clients and the server say. `breaks` is what the next COMMIT, or what else
    has `mark` in it, meets: `READ`, it never arrives, or `WRITTEN`, its answer does not, and
    `meanwhile` is done then; or `STILL`, nothing comes any more, and nobody is told."""

    def __init__(self, folder: Path, server: Path) -> None:
        self.breaks = ""
        self.mark = COMMIT
        self.meanwhile: Callable[[], object] = lambda: None
        self._server = server
        self._is_over = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / SOCKET))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take nobody any more, and end what stands still."""
        self._is_over.set()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(str(self._server))
            link = _Link(client, server)
            back = threading.Thread(target=link.answer, daemon=True)
            back.start()
            how = ""
            while piece := client.recv(PIECE):
                how = self.breaks if self.mark in piece else ""
                if how == READ:
                    break
                link.is_deaf = how in (WRITTEN, STILL)
                server.sendall(piece)
                if link.is_deaf:
                    back.join()
                    if how == STILL:
                        self.breaks = ""
                        self._is_over.wait()
                    break
            if how:
                self.breaks = ""
                server.shutdown(socket.SHUT_RDWR)
                self.meanwhile()


@dataclass
class _Link:
    """A client and the server. One that `is_deaf` hears no more answers."""

    client: socket.socket
    server: socket.socket
    is_deaf: bool = False

    def answer(self) -> None:
        # A server that was killed ends the connection with an error.
        with suppress(OSError):
            while (piece := self.server.recv(PIECE)) and not self.is_deaf:
                self.client.sendall(piece)
        with suppress(OSError):
            if not self.is_deaf:
                self.client.shutdown(socket.SHUT_RDWR)


@contextmanager
def way_to(url: URL, folder: Path) -> Iterator[tuple[Way, URL]]:
    """A way to the server of that address, and the address at its beginning."""
    host = url.query["host"]
    assert isinstance(host, str)
    way = Way(folder, Path(host) / SOCKET)
    try:
        yield way, url.update_query_dict({"host": str(folder)})
    finally:
        way.close()
