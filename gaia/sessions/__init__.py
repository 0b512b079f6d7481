"""Sessions: the agent kit's view of the recent events of a conversation."""
