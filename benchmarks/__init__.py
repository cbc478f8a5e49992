"""Benchmarks of the project: ``python -m benchmarks --help``."""
