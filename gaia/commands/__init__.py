"""Slash commands: one registry, one catalogue of descriptions."""
