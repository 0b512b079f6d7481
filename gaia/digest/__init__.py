"""DigestWorker: sealed sessions are read, what they tell is learned, and only then they go."""
