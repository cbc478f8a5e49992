"""Requests that the registry sends to servers of others."""
