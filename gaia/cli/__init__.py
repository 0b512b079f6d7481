"""The command line: parses and calls, nothing else."""
