/** The template of a version as plain text, compared with its sections; `urnregistry/templates.py` in Python describes the form. */

import { ProofRefused } from "./notes.js";

export type Sections = Record<string, unknown>;

const WIDTH = 72;
const MARGIN = "   ";
const LINES = ["Namespace Identifier", "Version", "Date"];
const TITLES = [
  ...[...LINES, "Registrant", "Purpose", "Syntax", "Assignment", "Security and Privacy", "Interoperability", "Resolution"],
  ...["Documentation", "Additional Information", "Revision Information"],
];
const PERSON = ["Organization", "Address", "Contact person", "E-mail", "Phone", "Postal address"];
const FIELDS = [...PERSON, "Fast track", "Further information"];
const BLOCKS = ["Address", "Postal address", "Further information"];

/** Check that a text is the template with these sections, as the registry publishes it. Throws ProofRefused. */
export function verifyText(text: string, sections: Sections): void {
  let rest = text.replaceAll("\r\n", "\n");
  const registrant = (sections["registrant"] ?? {}) as Sections;
  const known = [...TITLES, ...FIELDS].map(keyOf);
  const unknown = Object.keys({ ...sections, ...registrant }).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new ProofRefused(`This program does not know the section “${unknown}” of the version.`);
  for (const title of TITLES) {
    const written = title === "Registrant" ? registrantForms(registrant) : forms(title, String(sections[keyOf(title)] ?? ""));
    const endings = written.map((lines) => [...lines, ...(title === TITLES.at(-1) ? [""] : ["", ""])].join("\n"));
    const fitting = endings.find((each) => rest.startsWith(each));
    if (fitting === undefined) {
      throw new ProofRefused(`From the section “${title}” on, the text differs from that of the version.`);
    }
    rest = rest.slice(fitting.length);
  }
  if (rest) throw new ProofRefused("The text goes on after the last section of the version.");
}

function keyOf(title: string): string {
  return title === "Further information" ? "other" : title.toLowerCase().replaceAll(" ", "_").replace("-", "");
}

/** The lines of a section, in each way in which they can be written. */
function forms(title: string, value: string): string[][] {
  if (!value) return [[`${title}:`]];
  if (LINES.includes(title)) return [value, `"${value}"`].map((each) => fold(`${title}:  ${each}`));
  return ["", MARGIN].map((margin) => [`${title}:`, "", ...block(value, margin)]);
}

function registrantForms(values: Sections): string[][] {
  return ["not requested", ""].map((otherwise) => {
    const lines = FIELDS.flatMap((label) => {
      const isRequested = label === "Fast track" && values["fast_track"];
      const stated = isRequested ? "requested (RFC 8141, Section 6.3)" : values[keyOf(label)];
      const value = String(stated || (label === "Fast track" ? otherwise : ""));
      if (BLOCKS.includes(label) && value) return [`${MARGIN}${label}:`, ...block(value, MARGIN + MARGIN)];
      return value ? fold(`${label}:  ${value}`, MARGIN) : [];
    });
    return ["Registrant:", ...(lines.length ? ["", ...lines] : [])];
  });
}

function block(text: string, margin: string): string[] {
  return text.split("\n").flatMap((line) => (line ? fold(line, margin) : [""]));
}

/** The parts of a line of at most 72 characters. Longer words are not divided. */
function fold(line: string, margin = ""): string[] {
  if ([...margin, ...line].length <= WIDTH) return [margin + line];
  const indent = (margin + /^ */.exec(line)).slice(0, WIDTH / 2);
  const [first = "", ...words] = line.split(/(?<=[^ \t]) (?=[^ \t])/u);
  const parts = [margin + first];
  for (const [at, word] of words.entries()) {
    const longer = `${parts.at(-1)} ${word}`;
    const marked = at < words.length - 1 ? `${longer}  ` : longer;
    if ([...marked].length <= WIDTH) parts.splice(-1, 1, longer);
    else parts.splice(-1, 1, `${parts.at(-1)}  `, indent + word);
  }
  return parts;
}
