/** Proofs of the audit log, checked without a registry (https://c2sp.org/tlog-proof): the same as `urnregistry proof` in Python. */

import { ProofRefused, decoded, hex, octetsOf, parsePolicy, sha256, verifyHead, type Octets } from "./notes.js";
import { verifyText, type Sections } from "./templates.js";

export { ProofRefused } from "./notes.js";

/** What is trusted, and what is checked. */
export interface Evidence {
  /** The text of a proof. */
  proof: string;
  /** Verifier keys of the log, which you noted before, such as `registry.example.org/audit-log+1c0a…+A…`. */
  keys?: readonly string[];
  /** The text of a policy file, which can name keys of logs too (https://c2sp.org/tlog-policy). */
  policy?: string;
  /** The version of a namespace that it proves, as JSON of the API. */
  version?: Version;
  /** The template of this version, as plain text. */
  text?: string;
}

export interface Version {
  nid: string;
  version: number;
  digest: string;
  sections: Sections;
  commitments: Record<string, { salt: string | null; digest: string | null }> | null;
}

/** An event that is in the log. `members` are those of its leaf; null in an event of format 1. */
export type Proven = { number: number; origin: string; members: Members; cosigners: string[]; sentence: string };

type Members = Record<string, any> | null;

/** Resolve with what is proven, in a sentence too. Rejects with ProofRefused, or TypeError for a key or policy that is none. */
export async function verify({ proof, keys = [], policy, version, text }: Evidence): Promise<Proven> {
  const trusted = policy === undefined ? null : await parsePolicy(policy);
  const [leaf, index, path, note] = parts(proof);
  const head = await verifyHead(note, [...keys, ...(trusted?.logs ?? [])]);
  const cosigners = trusted ? await trusted.check(note) : [];
  if (index >= head.size) {
    throw new ProofRefused(`The proof is about event ${index + 1}, but its head has ${head.size} events.`);
  }
  const root = await rootOf(await sha256(Uint8Array.of(0), leaf), index, head.size, path);
  if (!root || hex(root) !== hex(head.root)) {
    throw new ProofRefused("The event, its number and the path do not lead to the root hash that the log signed.");
  }
  const members = membersOf(leaf);
  if (members && members["number"] !== index + 1) {
    throw new ProofRefused(`The leaf says that it is event ${members["number"]}, and stands at ${index + 1}.`);
  }
  let sentence = `The log has event ${index + 1} of ${head.origin}.`;
  if (members?.["is_public"]) sentence += ` ${members["verb"]} of “${members["nid"]}” at ${members["at"]}.`;
  if (text !== undefined && version === undefined) throw new TypeError("A text is compared with a version: give both.");
  if (version !== undefined) {
    await verifyVersion(members, version);
    if (text !== undefined) verifyText(text, version.sections);
    sentence += ` The ${text === undefined ? "version is" : "version and its text are"} what the event registered.`;
  }
  return { number: index + 1, members, origin: head.origin, cosigners, sentence };
}

function parts(text: string): [leaf: Octets, index: number, path: Octets[], note: string] {
  const lines = text.replaceAll("\r\n", "\n");
  const [, extra = "", index, hashes = "", note = ""] =
    /^c2sp\.org\/tlog-proof@v1\nextra ([^\n]*)\nindex (0|[1-9][0-9]{0,14})\n((?:[^\n]+\n){0,63})\n(.*)$/s.exec(lines) ?? [];
  const path = hashes.split("\n").slice(0, -1).map(decoded);
  if (text.length > 1_000_000 || index === undefined || path.some((each) => each.length !== 32)) {
    throw new ProofRefused("The file is not a proof in the format of c2sp.org/tlog-proof@v1.");
  }
  return [decoded(extra), Number(index), path, note];
}

/** RFC 9162, Section 2.1.3.2: the root to which a path leads; null if its length does not fit. */
async function rootOf(leaf: Octets, index: number, size: number, path: Octets[]): Promise<Octets | null> {
  let [found, at, last] = [leaf, index, size - 1];
  const up = () => ([at, last] = [Math.floor(at / 2), Math.floor(last / 2)]);
  for (const each of path) {
    if (last === 0) return null;
    if (at % 2 || at === last) {
      found = await sha256(Uint8Array.of(1), each, found);
      while (at && at % 2 === 0) up();
    } else {
      found = await sha256(Uint8Array.of(1), found, each);
    }
    up();
  }
  return last ? null : found;
}

function membersOf(leaf: Octets): Members {
  if (leaf.length === 32) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(leaf);
    const members = JSON.parse(text);
    if (members.format === 2 && canonical(members) === text) return members;
  } catch (fault) {
    throw new ProofRefused("The leaf is not an event in JSON.", { cause: fault });
  }
  throw new ProofRefused("The leaf is not an event in a format that this program knows.");
}

/** The digest is that of the sections without empty ones, with commitments in place of the registrant's texts. */
async function verifyVersion(members: Members, version: Version): Promise<void> {
  if (typeof version?.sections !== "object" || !version.sections) {
    throw new ProofRefused("The file is not a version of a namespace in the JSON of the API.");
  }
  const { nid, version: number, sections, commitments, digest } = version;
  const registrant = withoutEmpty(sections["registrant"] ?? {});
  for (const [name, each] of Object.entries(commitments ?? {})) {
    if (each.salt !== null && (await digestOf(each.salt + canonical(registrant[name]))) !== each.digest) {
      throw new ProofRefused(`“${name}” of the registrant differs from its commitment: it was changed.`);
    }
    registrant[name] = each.digest;
  }
  const filled = withoutEmpty({ ...sections, registrant: Object.keys(registrant).length ? registrant : null });
  const found = await digestOf(canonical(filled));
  const expected = members?.["is_public"] && members["text_digest"];
  const about = expected ? `version ${members["details"].version} of “${members["nid"]}”` : "no text";
  if (about !== `version ${number} of “${nid}”`) {
    throw new ProofRefused(`The event is about ${about}, not about version ${number} of “${nid}”.`);
  }
  if (found === digest && found === expected) return;
  throw new ProofRefused(`The text has the digest ${found}, states ${digest}, and the log has ${expected}: it was changed.`);
}

function withoutEmpty(values: object): Record<string, any> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value));
}

async function digestOf(text: string): Promise<string> {
  return hex(await sha256(octetsOf(text)));
}

/** Canonical JSON (RFC 8785). */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const sorted = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join()}}`;
}
