"""The vector index: memories found by meaning.

The only package that knows mem0, Chroma and the embedded embedder. Importing it loads
none of them: they come when the index is opened, in a thread of its own.
"""
