"""`urns/check/` at the level of namespaces: many URNs, each judged by the profile of its namespace."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus

from registry.api.framework.fields import MAX_REPEATED
from registry.api.schema.operations import with_problem_members
from registry.api.schema.problem_serializers import LengthProblemSerializer
from registry.api.urns.bulk_results import BulkResults, to_json
from registry.core.exceptions import RegistryError
from registry.core.shortening import shortened
from registry.namespaces.models import Namespace
from registry.namespaces.profiles import profiles_of
from urnsyntax.nid import is_well_formed
from urnsyntax.profiles import Profile
from urnsyntax.profiles.bulk import CheckedLine, judge_many

# A process that has not read a profile yet needs milliseconds for it.
MAX_PROFILES = 500
VERDICTS = {True: ("true", "good"), False: ("false", "bad"), None: ("null", "unknown")}


@with_problem_members(LengthProblemSerializer)
class TooManyNamespaces(RegistryError):
    """The URNs belong to more namespaces with a profile than can be judged at once. `limit` is the maximum."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "Too many namespaces"

    def __init__(self, sent: int) -> None:
        super().__init__(
            f"The URNs belong to {sent:,} namespaces with a profile; {MAX_PROFILES:,} at most are judged at once. "
            "Send several parts, ordered by NID."
        )
        self.members = {"limit": MAX_PROFILES, "sent": sent}


def judged(texts: list[str]) -> BulkResults:
    """The result for each text. The namespaces are read before the first one. Raises TooManyNamespaces."""
    rows = Namespace.objects.filter(nid__in=nids_in(texts)).order_by()
    is_deprecated, with_profile = {}, []
    for nid, deprecated_at, profile in rows.values_list("nid", "deprecated_at", "profile"):
        is_deprecated[nid] = deprecated_at is not None
        if profile:
            with_profile.append(nid)
    _check_number(len(with_profile))
    totals = dict.fromkeys(("good", "bad", "unknown"), 0)
    profiles = profiles_of(with_profile)
    return BulkResults(_results(texts, profiles, _NamespaceMembers(is_deprecated), totals), totals)


def nids_in(texts: list[str]) -> set[str]:
    """The NIDs of all texts that are URNs, in lower case, and perhaps of others."""
    found = {text[4 : text.find(":", 4)] for text in texts}  # after "urn:"
    return {nid.lower() for nid in found if is_well_formed(nid)}


def check_profiles(nids: set[str]) -> None:
    """Raise TooManyNamespaces if these NIDs have more profiles than one request can use."""
    if len(nids) > MAX_PROFILES:  # otherwise no query is needed
        _check_number(Namespace.objects.filter(nid__in=nids, profile__isnull=False).order_by().count())


def _check_number(of_profiles: int) -> None:
    if of_profiles > MAX_PROFILES:
        raise TooManyNamespaces(of_profiles)


class _NamespaceMembers(dict[str, str]):
    """The members that all URNs of a namespace share, as JSON, by the NID as written."""

    def __init__(self, is_deprecated: Mapping[str, bool]) -> None:
        super().__init__()
        self._is_deprecated = is_deprecated

    def __missing__(self, written: str) -> str:
        nid = written.lower()
        registered, deprecated = nid in self._is_deprecated, self._is_deprecated.get(nid, False)
        members = {"is_urn": True, "nid": nid, "registered": registered, "deprecated": deprecated}
        self[written] = shared = to_json(members)[1:-1]
        return shared


def _results(
    texts: list[str], profiles: dict[str, Profile], namespaces: _NamespaceMembers, totals: dict[str, int]
) -> Iterator[str]:
    for line in judge_many(texts, profiles):
        nid, conformant = line.nid, line.verdict.conformant
        verdict, total = VERDICTS[conformant]
        totals[total] += 1
        if nid is None:
            yield _invalid(line)
            continue
        reason = "" if conformant else line.reason
        reason = to_json(reason) if reason else "null"
        # The characters of a URN need no escapes.
        yield (
            f'{{"urn":"{line.text}",{namespaces[nid]},"conformant":{verdict},"reason":{reason},'
            f'"canonical":"{line.canonical}"}}'
        )


def _invalid(line: CheckedLine) -> str:
    members = {"is_urn": False, "nid": None, "registered": False, "deprecated": False, "conformant": False}
    return to_json(
        {"urn": shortened(line.text, MAX_REPEATED), **members, "reason": line.reason, "canonical": None}
    )
