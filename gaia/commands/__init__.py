"""Slash commands: one registry, one catalogue of descriptions.

A command is a function in a module of its subject; `registry` lists them all
with their names and descriptions, which `/help` and the channels' menus show.
"""
