"""What gaia does at its times, told by one scheduler for the process."""
