"""What readers of the OpenAPI description need beyond types: descriptions of properties, and examples."""
