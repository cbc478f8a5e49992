"""Descriptions of properties, and examples, for the OpenAPI document."""
