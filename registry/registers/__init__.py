"""Registers below namespaces: what the registrant assigns there, by which policy (RFC 8126, Section 4), and requests for it."""
