"""The channels through which people reach gaia, one package or module each."""
