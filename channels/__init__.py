"""The channels people reach gaia through, one module each."""
