"""Composition and life: what is made of what, and what happens at start, run, drain and stop."""
