"""The form: the registration template of RFC 8141, Appendix A, as a value. No database."""
