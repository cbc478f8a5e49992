"""Profiles of several namespaces, from a directory or from elsewhere."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from ..nid import is_one_edit_apart
from ..urn import URN
from .bulk import AT_ONCE, CheckedLine, judge_many
from .errors import InvalidProfile
from .judging import Judgement
from .profile import Profile
from .repairs import Suggestion, suggest
from .services.choice import Resolution
from .services.reversal import without_www
from .subnamespaces.lists import SubNamespaces, load_lists

MAX_FILE_SIZE = 100_000  # octets


class Profiles:
    """Profiles by NID, and lists of sub-namespaces. Later profiles of the same NID replace earlier ones.

    `lists` are mappings from normalized prefixes to sub-namespaces, by NID.
    """

    def __init__(
        self, profiles: Iterable[Profile] = (), lists: Mapping[str, SubNamespaces] = MappingProxyType({})
    ) -> None:
        self._by_nid = {each.nid: each for each in profiles}
        self.lists = lists

    def __len__(self) -> int:
        return len(self._by_nid)

    def __iter__(self) -> Iterator[Profile]:
        return iter(self._by_nid.values())

    def __contains__(self, nid: object) -> bool:
        return isinstance(nid, str) and self.get(nid) is not None

    def get(self, nid: str) -> Profile | None:
        """The profile of a NID in any letter case, or None."""
        return self._by_nid.get(nid.lower())

    def judge(self, urn: URN | str) -> Judgement | None:
        """Judge a URN by the profile of its namespace; None without one. Raises `InvalidURN`."""
        parsed = urn if isinstance(urn, URN) else URN.parse(urn)
        profile = self.get(parsed.nid)
        return profile.judge(parsed, self.lists.get(profile.nid)) if profile else None

    def resolve(self, urn: URN | str) -> Resolution:
        """The services that apply to a URN; none without a profile. Raises `InvalidURN`."""
        parsed = urn if isinstance(urn, URN) else URN.parse(urn)
        profile = self.get(parsed.nid)
        return profile.resolve(parsed, self.lists.get(profile.nid)) if profile else Resolution()

    def judge_many(self, texts: Iterable[str], *, at_once: int = AT_ONCE) -> Iterator[CheckedLine]:
        """Judge texts in their order, at more than 100,000 a second; see `urnsyntax.profiles.bulk.judge_many`."""
        return judge_many(texts, self._by_nid, lists=self.lists, at_once=at_once)

    def suggest(self, text: str) -> tuple[Suggestion, ...]:
        """URNs that a text was probably meant to be; see `urnsyntax.profiles.repairs.suggest`."""
        return suggest(text, self)

    def similar_nids(self, nid: str) -> list[str]:
        """The NIDs that differ from a text in lower case by one edit, or by two neighbours exchanged."""
        return [known for known in self._by_nid if is_one_edit_apart(nid, known)]

    def with_services_at(self, host: str) -> list[Profile]:
        """The profiles with a service at a host or above it; “www.” does not count."""
        return [
            each
            for each in self
            if any(f".{host}".endswith(f".{without_www(service.host)}") for service in each.services)
        ]


def load_profile(path: Path | str) -> Profile:
    """The profile of a TOML file, which has the name of the NID. Raises `InvalidProfile` and `OSError`."""
    path = Path(path)
    try:
        profile = Profile.from_dict(_read_toml(path))
        _check_file_name(path, profile)
    except InvalidProfile as error:
        error.file = path.name
        raise
    return profile


def _read_toml(path: Path) -> dict[str, object]:
    with path.open("rb") as stream:
        content = stream.read(MAX_FILE_SIZE + 1)
    if len(content) > MAX_FILE_SIZE:
        raise InvalidProfile("", f"The file has more than {MAX_FILE_SIZE:,} octets.", "Shorten it.")
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise InvalidProfile("", f"Octet {error.start + 1} is not UTF-8.", "Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidProfile("", f"This is not TOML: {error}.", "Correct it.") from None


def _check_file_name(path: Path, profile: Profile) -> None:
    if path.stem != profile.nid:
        raise InvalidProfile("nid", f"The file has another name than “{profile.nid}”.", "Rename one.")


def profile_files(directory: Path | str) -> list[Path]:
    """The TOML files of a directory in the order of their names. Raises `OSError`."""
    return sorted(each for each in Path(directory).iterdir() if each.suffix == ".toml")


def load_profiles(directory: Path | str, subnamespaces: Path | str | None = None) -> Profiles:
    """The profiles of a directory, with the lists of sub-namespaces in another one.

    By default, the lists are in the directory ``subnamespaces`` beside the profiles; if there is none, no list is consulted.
    Raises `InvalidProfile` for the first wrong file, and `OSError`.
    """
    profiles = [load_profile(path) for path in profile_files(directory)]
    beside = Path(directory).resolve().parent / "subnamespaces"
    if subnamespaces is None and not beside.is_dir():
        return Profiles(profiles)
    return Profiles(profiles, load_lists(subnamespaces or beside, profiles))
