"""gaia.db as a SQLite file: the database that needs nothing else."""
