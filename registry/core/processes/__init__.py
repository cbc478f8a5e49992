"""Processes of the registry: what they do when others end, and the worker."""
