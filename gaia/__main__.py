"""`python -m gaia` is the `gaia` command."""

from gaia.cli.main import main

main()
