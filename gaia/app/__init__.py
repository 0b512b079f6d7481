"""Composition and life: what is made of what, and what happens at start, run, drain and stop."""

# Before anything here imports the agent kit.
from gaia.agent import genai as genai
