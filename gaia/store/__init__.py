"""gaia.db: engine, tables, migrations, and one module a table."""
