"""Health of services: daily requests for their examples, and what is recorded of the replies."""
