"""The examples of the OpenAPI document: requests to the whole application, and the responses that it gives."""
