"""Fixtures: a certificate authority that the registry trusts, and a DNS."""

from tests.support.https_servers import authority, dns, loopback_allowed

__all__ = ["authority", "dns", "loopback_allowed"]
