"""Small sample files in IANA's formats."""

from registry.publication.iana.file_reader import IanaVersion
from registry.publication.iana.records import IanaFile
from registry.publication.iana.xml_format import parse_xml

DATED = '<record date="2018-06-19" updated="2019-08">'


def an_xml(
    *,
    updated: str = "2020-01-01",
    formal: str = "",
    informal: str = "",
    head: str = "<title>URN Namespaces</title>",
    people: str = "",
) -> bytes:
    """Return a complete file with the given records."""
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        '<registry xmlns="http://www.iana.org/assignments" id="urn-namespaces">\n'
        f"{head}<updated>{updated}</updated>\n"
        f'<registry id="urn-namespaces-1"><title>Formal</title>\n{formal}\n</registry>\n'
        f'<registry id="urn-namespaces-2"><title>Informal</title>\n{informal}\n</registry>\n'
        f"<people>{people}</people>\n</registry>\n"
    ).encode()


def a_record(name: str, *, rfc: str = "rfc8141", dates: str = "", template: bool = False) -> str:
    page = f"https://www.iana.org/assignments/urn-formal/{name}"
    filled = f'<template><xref type="uri" data="{page}">{name}-template</xref></template>' if template else ""
    return f'<record{dates}><name>{name}</name>{filled}<xref type="rfc" data="{rfc}"/></record>'


def an_informal_record(name: str) -> str:
    page = f"https://www.iana.org/assignments/urn-informal/{name}"
    return (
        f'<record><name>{name}</name><xref type="uri" data="{page}">{name}</xref>'
        '<contact><xref type="person" data="Example_Person"/></contact></record>'
    )


def a_version(file: IanaFile | bytes, *, name: str = "urn-namespaces.xml") -> IanaVersion:
    read = file if isinstance(file, IanaFile) else parse_xml(file)
    return IanaVersion(name, "0" * 64, read)
