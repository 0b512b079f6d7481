"""The process that encrypts or decrypts an archive with a passphrase, in the age format.

A process of its own, since making a key of a passphrase takes half a gigabyte of memory or
more, on purpose, and the content is held in memory as well: where there is not so much,
this process ends, and gaia goes on. The passphrase is the first line of its input, the
content the rest. Imports nothing else of gaia.
"""

from __future__ import annotations

import sys

WRONG_PASSPHRASE = 10
DAMAGED = 11
TOO_MUCH_WORK = 12


def main() -> int:
    """Read all of standard input, write to standard output, and say how it went."""
    # Whoever starts this process imports this module as well.
    import pyrage  # type: ignore[import-untyped]

    passphrase = sys.stdin.buffer.readline().rstrip(b"\n").decode()
    content = sys.stdin.buffer.read()
    if sys.argv[1] == "encrypt":
        result = pyrage.passphrase.encrypt(content, passphrase)
    else:
        try:
            result = pyrage.passphrase.decrypt(content, passphrase)
        except pyrage.DecryptError as exc:
            return _kind(str(exc))
    del content
    sys.stdout.buffer.write(result)
    sys.stdout.buffer.flush()
    return 0


def _kind(message: str) -> int:
    """What went wrong, by the words of the library: it has no kinds of errors."""
    if message == "Decryption failed":
        return WRONG_PASSPHRASE
    return TOO_MUCH_WORK if message.startswith("Excessive work") else DAMAGED


if __name__ == "__main__":
    sys.exit(main())
