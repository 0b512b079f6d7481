"""The upkeep of memories: what each night's jobs do with what is known of a user."""
