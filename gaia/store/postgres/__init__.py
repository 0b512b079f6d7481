"""Gaia's tables in a PostgreSQL database, where one machine is not enough."""
