"""The web app: health, and the local control socket."""
