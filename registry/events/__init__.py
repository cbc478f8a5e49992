"""Public events: their types, which events are public, and their JSON, for the API and for webhooks."""
