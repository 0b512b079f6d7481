"""Reminders: how one asks for them, when they are due, and what becomes of them."""
