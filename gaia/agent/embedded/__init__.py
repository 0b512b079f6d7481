"""The chat model that runs on this machine: its weights, its process, its adapter."""
