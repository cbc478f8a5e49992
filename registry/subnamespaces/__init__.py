"""Sub-namespaces of registered namespaces: their lists, imports, and the entries that judge a name."""
