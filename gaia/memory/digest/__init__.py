"""The digest: what gaia makes of a conversation that is over."""
