"""What a command that only reads asks for: of the daemon, or of the database where none runs.

Read on both ends of the control socket, so each module imports the store only to answer.
"""
