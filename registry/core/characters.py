"""Which characters a text may hold that is kept, mailed and published."""

import re

# XML 1.0 and PostgreSQL's text hold neither control characters nor lone surrogates; both have to hold this.
UNSTORABLE = re.compile("[\x00-\x08\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Line breaks of old typewriters and of RFCs, which XML does not hold either: they become ordinary ones.
OBSOLETE_LINE_BREAK = re.compile("[\v\f]")
