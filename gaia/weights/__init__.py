"""The models that run on this machine: which there are, their files, and how they are fetched."""
