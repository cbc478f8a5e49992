"""Services of namespaces: their schema, their address templates, and the choice for a URN."""
