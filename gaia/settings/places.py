"""Where this machine itself reaches what listens on a host and a port of the settings."""

from __future__ import annotations

from collections.abc import Mapping

ANY_HOST: Mapping[str, str] = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Hosts that stand for all of the machine's addresses, and one of these."""


def place(host: str, port: int) -> str:
    """Host and port, as they stand in a URL."""
    reached = ANY_HOST.get(host, host)
    return f"[{reached}]:{port}" if ":" in reached else f"{reached}:{port}"
