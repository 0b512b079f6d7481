"""gaia, a personal assistant that runs as a daemon on its owner's machine."""

__version__ = "0.1.0"
