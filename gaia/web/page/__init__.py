"""The memory page: what gaia remembers of a person, for them to see and change in a browser."""
