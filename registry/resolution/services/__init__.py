"""Actions on the hosts of services."""
