"""Long-term memory: the ledger, and how memories are found, indexed and forgotten.

Every function and method names the user whose memory it is about; an empty name
raises `MissingOwnerError` before anything is read, which is told here alone.
"""
