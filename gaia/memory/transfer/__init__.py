"""Memories as files: JSON lines that hold all of a memory, and Markdown for people."""
