"""Slash commands: one registry, one catalogue of descriptions.

A command is a function in a module of its subject; `gaia.app.commands` lists them all, and
the `registry` shows their names and descriptions in `/help` and the channels' menus.
"""
