"""`services/`: the services of namespaces and their health."""
