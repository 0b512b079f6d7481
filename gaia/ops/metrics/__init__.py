"""Metrics for Prometheus: what happens is counted, how things stand is read when asked."""
