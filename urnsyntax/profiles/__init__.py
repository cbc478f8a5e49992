"""Profiles of namespaces: title, summary and sources, and rules for names that programs can run.

>>> from urnsyntax.profiles import Profile
>>> profile = Profile.from_dict({
...     "nid": "isbn", "title": "International Standard Book Number", "summary": "Names of books.",
...     "subjects": ["bibliography"],
...     "names": {"abnf": 'isbn = 9DIGIT ( DIGIT / %s"X" ) / 13DIGIT', "checks": [{"algorithm": "isbn"}]},
...     "sources": [{"facts": ["title", "summary", "subjects", "grammar", "checks"], "kind": "registration",
...                  "document": "Registration of urn:isbn"}],
... })
>>> judgement = profile.judge("urn:isbn:9780451450523")
>>> judgement.conformant, judgement.reason, judgement.repair
(False, 'The check digit is wrong; it would be 4.', 'urn:isbn:9780451450524')

``profile.services_for(urn)`` lists the services that lead from a URN to the resource, with their addresses.

If the profile has levels, a list of sub-namespaces says who stands behind a name; see `urnsyntax.profiles.subnamespaces`.

A profile is a value that is read from a mapping or a TOML file, see `Profile.from_dict`, `load_profile` and
`load_profiles`. Grammars are written in ABNF or RE2; neither can make a check slow. For the command line, see
``python -m urnsyntax check --help`` and ``python -m urnsyntax profiles --help``.

This package needs google-re2 and python-stdnum. The rest of urnsyntax needs neither.
"""

from .bulk import CheckedLine
from .collection import Profiles, load_profile, load_profiles
from .errors import (
    InvalidGrammar,
    InvalidIgnoredCharacters,
    InvalidPattern,
    InvalidProfile,
    InvalidRules,
    InvalidTemplate,
    OtherNamespace,
    UnsafeAddress,
)
from .judging import CheckDigits, Judgement, NamePart, Problem
from .profile import Check, Counterexample, Example, Names, Profile, Source, Specification
from .repairs import Suggestion
from .schema import DatedSource
from .services.choice import RefusedService, Resolution, ServiceAddress
from .services.service import Service
from .subnamespaces.findings import FoundSubNamespace, UnknownSubNamespace
from .subnamespaces.levels import Level
from .subnamespaces.lists import SubNamespace

__all__ = [
    "Check",
    "CheckDigits",
    "CheckedLine",
    "Counterexample",
    "DatedSource",
    "Example",
    "FoundSubNamespace",
    "InvalidGrammar",
    "InvalidIgnoredCharacters",
    "InvalidPattern",
    "InvalidProfile",
    "InvalidRules",
    "InvalidTemplate",
    "Judgement",
    "Level",
    "NamePart",
    "Names",
    "OtherNamespace",
    "Problem",
    "Profile",
    "Profiles",
    "RefusedService",
    "Resolution",
    "Service",
    "ServiceAddress",
    "Source",
    "Specification",
    "SubNamespace",
    "Suggestion",
    "UnknownSubNamespace",
    "UnsafeAddress",
    "load_profile",
    "load_profiles",
]
