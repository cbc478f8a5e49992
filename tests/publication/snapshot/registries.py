"""A sample registry for snapshots, changes to it, and functions to read the tree."""

from pathlib import Path

from registry.accounts.models import RoleName, User
from registry.namespaces.actions import deprecation
from registry.namespaces.models import Namespace
from registry.publication.iana.importing.importer import import_versions
from tests.publication.iana.samples import a_record, a_version, an_xml
from tests.support.factories import a_person


def people() -> dict[str, User]:
    return {
        "by": a_person(email="registrant@example.org"),
        "expert": a_person(email="expert@example.org", roles=(RoleName.EXPERT,)),
        "administrator": a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,)),
    }


def deprecate(nid: str) -> None:
    administrator = User.objects.get(email="administrator@example.org")
    namespace = Namespace.objects.get(nid=nid)
    deprecation.deprecate(namespace, by=administrator, statement="It is not used.")


def files(tree: Path) -> dict[str, bytes]:
    return {
        file.relative_to(tree).as_posix(): file.read_bytes()
        for file in sorted(tree.rglob("*"))
        if file.is_file()
    }


def read(directory: Path, name: str) -> str:
    return (directory / "current" / name).read_text()


def imported(*nids: str, updated: str = "2020-01-01") -> None:
    import_versions([a_version(an_xml(updated=updated, formal="".join(map(a_record, nids))))])
