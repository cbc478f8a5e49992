"""The requests of the examples, from an empty database on."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from registry.devserver import demonstration
from registry.devserver.api_examples.cases import record_cases
from registry.devserver.api_examples.namespaces import IMPORTED, record_namespaces, record_urns
from registry.devserver.api_examples.people import record_account, record_organisations, record_webhook
from registry.devserver.api_examples.recorder import Recorder
from registry.devserver.api_examples.registry import record_api, record_registry
from registry.devserver.api_examples.surroundings import fixed_surroundings
from registry.devserver.demonstration_cases import FIXTURES
from registry.namespaces.services.profile_files import load_profiles
from registry.publication.iana.file_reader import read_version
from registry.publication.iana.fixtures import IANA_FIXTURE
from registry.publication.iana.importing.importer import import_versions
from urnsyntax.profiles import Profile, load_profile
from urnsyntax.profiles.examples import Verification

# In this order, because a part needs what the parts before have made.
PARTS = (
    record_api,
    record_urns,
    record_account,
    record_cases,
    record_namespaces,
    record_organisations,
    record_webhook,
    record_registry,
)


def record(parts: Iterable[Callable[[Recorder], None]] = PARTS) -> dict[str, Any]:
    """The recording of all parts, or of the first ones. Needs an empty database, which it fills."""
    with fixed_surroundings() as traveller:
        import_namespaces([IMPORTED])
        for account in demonstration.accounts():
            demonstration.create_account(account)
        demonstration.confirm_hosts()
        recorder = Recorder(traveller)
        for part in parts:
            part(recorder)
        return recorder.recording


def import_namespaces(nids: Iterable[str]) -> None:
    """Import these namespaces of IANA's registry, with their profiles."""
    version = read_version(FIXTURES / IANA_FIXTURE)
    records = tuple(each for each in version.file.records if each.name in nids)
    import_versions([replace(version, file=replace(version.file, records=records))])
    profiles = [load_profile(FIXTURES / "profiles" / f"{nid}.toml") for nid in nids]
    load_profiles([Verification(each.nid, in_brief(each), ()) for each in profiles])


def in_brief(profile: Profile) -> Profile:
    """A profile with one service, and without the titles and authors of what its examples name."""
    examples = tuple(replace(each, description="") for each in profile.names.examples)
    names = replace(profile.names, examples=examples)
    return replace(profile, names=names, services=profile.services[:1])
