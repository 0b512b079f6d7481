"""Sessions: the recent events of a conversation, kept by ADK in sessions.db."""
