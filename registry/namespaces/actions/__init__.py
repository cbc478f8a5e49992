"""Actions on namespaces and offers. Histories, pages and endpoints have what MODULES declare."""

from registry.namespaces.actions import deprecation, profiles, transfers

MODULES = (transfers, deprecation, profiles)
