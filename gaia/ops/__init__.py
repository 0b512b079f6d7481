"""What an owner needs to run gaia: logs, status."""
