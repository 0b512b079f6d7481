"""What `gaia setup` decides and writes. Who is asked, and how, is in `gaia.cli.setup`."""
