"""The names of the package, which `urnregistry` has."""

from urnregistry.auditing import Audit
from urnregistry.client import AsyncRegistry, Registry
from urnregistry.errors import (
    CopyError,
    LogBehind,
    LogChanged,
    LogError,
    LogGap,
    Problem,
    ProofRefused,
    RegistryError,
    UnexpectedResponse,
    Unreachable,
    WrongSignature,
)
from urnregistry.exchange import Retries, Source
from urnregistry.local_copy import LocalCopy
from urnregistry.monitoring import HeadContradicted, LoggedEvent, Trust, Watched
from urnregistry.namespaces import (
    ChangeController,
    Contact,
    Deprecation,
    Namespace,
    NamespaceDetail,
    Reference,
    Registrant,
    Sections,
)
from urnregistry.policies import MalformedPolicy, Policy
from urnregistry.profiles import Grammar, Profile, ProfileExample, Specification
from urnregistry.proofs import ProvenEvent
from urnregistry.records import Event, Resolution, URNCheck
from urnregistry.syncing import SyncResult, Verification

__all__ = [
    "AsyncRegistry",
    "Audit",
    "ChangeController",
    "Contact",
    "CopyError",
    "Deprecation",
    "Event",
    "Grammar",
    "HeadContradicted",
    "LocalCopy",
    "LogBehind",
    "LogChanged",
    "LogError",
    "LogGap",
    "LoggedEvent",
    "MalformedPolicy",
    "Namespace",
    "NamespaceDetail",
    "Policy",
    "Problem",
    "Profile",
    "ProfileExample",
    "ProofRefused",
    "ProvenEvent",
    "Reference",
    "Registrant",
    "Registry",
    "RegistryError",
    "Resolution",
    "Retries",
    "Sections",
    "Source",
    "Specification",
    "SyncResult",
    "Trust",
    "URNCheck",
    "UnexpectedResponse",
    "Unreachable",
    "Verification",
    "Watched",
    "WrongSignature",
]
