"""The characters that stored texts must not contain."""

import re

# Control characters and lone surrogates, which XML 1.0 or PostgreSQL's text type cannot store.
UNSTORABLE = re.compile("[\x00-\x08\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Vertical tabs and form feeds, as in RFCs, which XML does not allow either: they become line feeds.
OBSOLETE_LINE_BREAK = re.compile("[\v\f]")
