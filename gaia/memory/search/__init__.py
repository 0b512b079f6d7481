"""Search: what of a user's memory is found, put in order, and given to the model."""
