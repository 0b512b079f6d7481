"""The processes that work on one PostgreSQL database."""
