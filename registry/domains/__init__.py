"""Domains that organisations prove to control, by a TXT record or a file, and their re-checks."""
