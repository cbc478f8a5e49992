"""Resolution: from a URN to the services of its namespace, and which of their hosts are confirmed and work."""
