"""Fakes and scripted servers, for gaia's own tests and for those of its channels."""
