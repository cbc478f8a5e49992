"""Actions on the hosts of services, and what registrations say of hosts."""
