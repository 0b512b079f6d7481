"""Takes what a home keeps from one database into another, and compares all of it."""
