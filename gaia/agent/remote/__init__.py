"""Remote models, an adapter for each provider's SDK. Each is imported on first use."""
