"""People and things: what they are called, what is between them, and whom one may write to."""
