"""The optional parts of gaia: whether one is installed here, and the line that installs it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from shlex import quote


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra of gaia's distribution. `package` is what it is imported as."""

    name: str
    package: str

    @property
    def is_installed(self) -> bool:
        """Whether it can be imported."""
        return find_spec(self.package) is not None

    @property
    def install_line(self) -> str:
        """What to type in a shell, for this environment and no other. One that `uv` made has
        no pip of its own."""
        python, wanted = quote(sys.executable), quote(f"gaia-assistant[{self.name}]")
        if find_spec("pip") is None:
            return f"uv pip install --python {python} {wanted}"
        return f"{python} -m pip install {wanted}"


LOCAL = Extra("local", "xllamacpp")
"""The engine that runs embedded models."""
ANTHROPIC = Extra("anthropic", "anthropic")
POSTGRESQL = Extra("postgresql", "psycopg")
RERANK = Extra("rerank", "nanoranker")
TRACING = Extra("tracing", "opentelemetry")
