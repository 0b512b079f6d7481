"""One module a migration, named after its revision."""
