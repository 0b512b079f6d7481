"""The path of a message: dispatcher, handlers, delivery, recovery."""
