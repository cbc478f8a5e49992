"""The documentation of the API as pages: a quick start, guides, and the reference from openapi.yaml."""
