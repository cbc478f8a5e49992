"""Webhooks: public events of the audit log, sent to addresses that people registered."""
