"""Reports on template files, in JSON and as text, for the command `template`."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from registry.registration_template.checks.findings import Finding, Severity
from registry.registration_template.checks.runner import check_template
from registry.registration_template.exceptions import InvalidTemplate, UnreadableTemplate
from registry.registration_template.parsing.parser import ParsedTemplate
from registry.registration_template.sections import SECTION_BY_KEY, Kind
from urnsyntax.nid import NIDKind, classify


def build_report(
    name: str,
    parsed: ParsedTemplate,
    *,
    kind: Kind | None = None,
    fast_track: bool | None = None,
    is_revision: bool | None = None,
) -> dict[str, Any]:
    """The findings on a template and their parameters. Missing parameters are derived from the template."""
    template = parsed.template
    kind = kind or _kind_of(template.namespace_identifier)
    if fast_track is None:
        fast_track = template.registrant.fast_track
    if is_revision is None:
        is_revision = (template.version or 1) > 1
    findings = check_template(
        template,
        kind=kind,
        fast_track=fast_track,
        is_revision=is_revision,
        older_form=parsed.form == "3406",
    )
    return {
        "file": name,
        "form": parsed.form,
        "nid": template.namespace_identifier,
        "version": template.version,
        "date": template.date,
        "kind": kind,
        "fast_track": fast_track,
        "is_revision": is_revision,
        "is_good": all(finding.severity is not Severity.BLOCKING for finding in findings),
        "sections": [key for key in SECTION_BY_KEY if template.is_filled(key)],
        "findings": [_locate(finding, parsed) for finding in findings],
        "unplaced": [dataclasses.asdict(line) for line in parsed.unplaced],
        "remarks": [dataclasses.asdict(remark) for remark in parsed.remarks],
        "changes": [change.to_json() for change in parsed.changes],
        "digest": template.digest(),
    }


def _kind_of(nid: str) -> Kind:
    return "informal" if classify(nid).kind is NIDKind.INFORMAL else "formal"


def _locate(finding: Finding, parsed: ParsedTemplate) -> dict[str, Any]:
    return {**finding.to_json(), "line": parsed.lines.get(finding.section)}


def failure_report(name: str, error: UnreadableTemplate | InvalidTemplate) -> dict[str, Any]:
    """The report on a file that is not a template."""
    line = error.line if isinstance(error, UnreadableTemplate) else None
    return {
        "file": name,
        "is_good": False,
        "error": {"code": type(error).__name__, "message": str(error), "line": line},
    }


def describe(report: dict[str, Any]) -> str:
    """The report as lines of text."""
    return "\n".join(_description(report))


def _description(report: dict[str, Any]) -> Iterator[str]:
    if "error" in report:
        yield f"{report['file']}: {report['error']['message']}"
        return
    version = "no version" if report["version"] is None else f"version {report['version']}"
    nid, date = report["nid"] or "no identifier", report["date"] or "no date"
    yield f"{report['file']}: {nid}, {version}, {date}, format of RFC {report['form']}"
    for finding in report["findings"]:
        place = SECTION_BY_KEY[finding["section"]].title
        if finding["line"]:
            place += f" (line {finding['line']})"
        yield f"  {finding['severity']}: {place}: {finding['message']} [{finding['reference']}]"
    for line in report["unplaced"]:
        yield f"  line {line['line']}: {line['reason']}: {line['text']}"
    for remark in report["remarks"]:
        yield f"  line {remark['line']}: {remark['message']}"
    for change in report["changes"]:
        yield f"  undone: {change['message']} [--keep {change['kind']}]"
    if not report["findings"]:
        yield "  No findings."
