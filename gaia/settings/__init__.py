"""Settings: their schema, and how gaia.yaml and the environment are read."""
