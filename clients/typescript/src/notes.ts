/** Signed heads of a log (https://c2sp.org/signed-note with Ed25519), cosignatures, and policies (https://c2sp.org/tlog-policy). */

/** A proof does not show what it should. The message says why. */
export class ProofRefused extends Error {}

export type Octets = Uint8Array<ArrayBuffer>;

type Key = { name: string; id: string; public: Octets };

/** The signature types of a log and of a witness. */
const [ED25519, COSIGNATURE] = [1, 4];

export const octetsOf = (text: string): Octets => new TextEncoder().encode(text);

/** Decode base64 in its one form; no octets for another text. */
export function decoded(text: string): Octets {
  try {
    const binary = atob(text);
    return btoa(binary) === text ? Uint8Array.from(binary, (each) => each.charCodeAt(0)) : new Uint8Array();
  } catch {
    return new Uint8Array();
  }
}

export function hex(octets: Octets): string {
  return [...octets].map((each) => each.toString(16).padStart(2, "0")).join("");
}

export async function sha256(...parts: Octets[]): Promise<Octets> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));
}

/** Return the name, the ID and the public key of a verifier key, NAME+ID+KEY. */
async function parsed(key: string, kind = ED25519): Promise<Key> {
  const [, name = "", id, encoded = ""] = /^([^+]*)\+([^+]*)\+(.*)$/s.exec(key) ?? [];
  const octets = decoded(encoded);
  const expected = hex(await sha256(octetsOf(`${name}\n`), octets)).slice(0, 8);
  if (octets.length === 33 && octets[0] === kind && expected === id) return { name, id, public: octets.slice(1) };
  throw new TypeError(`“${key}” is not a verifier key of a ${kind === ED25519 ? "log" : "witness"}.`);
}

async function verifies(key: Key, signature: Octets, text: string): Promise<boolean> {
  let imported: CryptoKey;
  try {
    imported = await crypto.subtle.importKey("raw", key.public, "Ed25519", false, ["verify"]);
  } catch (fault) {
    const cause = { cause: fault };
    if ((fault as Error).name !== "NotSupportedError") throw new TypeError(`The key of ${key.name} is none.`, cause);
    throw new Error("Nothing was checked: this browser has no Ed25519 in WebCrypto. Use a newer one.", cause);
  }
  return crypto.subtle.verify("Ed25519", imported, signature, octetsOf(text));
}

/** The signatures of a note that name this key. */
function signaturesOf(key: Key, lines: string): Octets[] {
  const named = lines.split("\n").filter((line) => line.startsWith(`— ${key.name} `));
  const found = named.map((line) => decoded(line.slice(key.name.length + 3)));
  return found.filter((octets) => hex(octets.slice(0, 4)) === key.id).map((octets) => octets.slice(4));
}

export type Head = { origin: string; size: number; root: Octets };

/** Return what a signed head says, if one of the keys of the log signed it (https://c2sp.org/tlog-checkpoint). */
export async function verifyHead(note: string, keys: readonly string[]): Promise<Head> {
  const [, text = "", origin = "", size, root = "", lines = ""] =
    /^(([^\n]*)\n(0|[1-9][0-9]{0,14})\n([^\n]*)\n)\n((?:— [^ \n]* [^ \n]+\n)+)$/.exec(note) ?? [];
  const signatures = lines.split("\n").slice(0, -1).map((line) => decoded(line.split(" ")[2] ?? ""));
  if (decoded(root).length !== 32 || !signatures.every((each) => each.length)) {
    throw new ProofRefused("The text is not a head of the log in the format of c2sp.org/tlog-checkpoint.");
  }
  for (const key of await Promise.all(keys.map((each) => parsed(each)))) {
    if (key.name !== origin) continue;
    for (const signature of signaturesOf(key, lines)) {
      if (await verifies(key, signature, text)) return { origin, size: Number(size), root: decoded(root) };
    }
  }
  throw new ProofRefused(`The signed head of ${size} events has no valid signature of a key that you trust.`);
}

async function isCosigned(note: string, key: Key): Promise<boolean> {
  const end = note.indexOf("\n\n") + 1;
  for (const octets of signaturesOf(key, note.slice(end))) {
    if (octets.length < 8) continue;
    const time = new DataView(octets.buffer).getBigUint64(0);
    if (await verifies(key, octets.slice(8), `cosignature/v1\ntime ${time}\n${note.slice(0, end)}`)) return true;
  }
  return false;
}

/** The keys of logs, and which witnesses make a head trusted. */
export interface Policy {
  logs: string[];
  /** Return the witnesses that cosigned a head. Rejects with ProofRefused if they are too few. */
  check(note: string): Promise<string[]>;
}

/** Read a policy file. Rejects with a TypeError that names the line. */
export async function parsePolicy(text: string): Promise<Policy> {
  const logs: string[] = [];
  const witnesses = new Map<string, Key>();
  const groups: [name: string, needed: number, members: string[]][] = [];
  const seen = new Set(["none"]);
  let [quorum, at] = ["", 0];
  const demand = (isGood: boolean, why: string) => {
    if (!isGood) throw new TypeError(`Line ${at} of the policy: ${why}`);
  };
  const once = (what: string) => demand(!seen.has(what) && !!seen.add(what), `“${what}” is there twice.`);
  for (const line of text.split("\n")) {
    at += 1;
    demand(!/[\x00-\x08\x0b-\x1f\x7f]/.test(line), "A control character is not allowed.");
    const [word = "", name = "", first = "", ...members] = line.replace(/^[ \t]+|[ \t]+$/g, "").split(/[ \t]+/);
    if (!word || word.startsWith("#")) continue;
    if (word === "log" && name && !members.length) {
      once(`log ${hex((await parsed(name)).public)}`);
      logs.push(name);
    } else if (word === "witness" && first && members.length < 2) {
      const key = await parsed(first, COSIGNATURE);
      [name, `witness ${hex(key.public)}`].forEach(once);
      witnesses.set(name, key);
    } else if (word === "group" && members.length) {
      const needed = { any: 1, all: members.length }[first] ?? (/^[1-9][0-9]{0,4}$/.test(first) ? Number(first) : 0);
      demand(needed > 0 && needed <= members.length, `“${first}” is not a number of its members.`);
      demand(members.every((each) => each !== "none" && seen.has(each)), "A member is not defined before it.");
      [name, ...members.map((each) => `member ${each}`)].forEach(once);
      groups.push([name, needed, members]);
    } else {
      demand(word === "quorum" && !!name && !first && !quorum, "It is not a line of a policy, or a second quorum.");
      demand(seen.has(name), `No line before it defines “${name}”.`);
      quorum = name;
    }
  }
  demand(!!quorum, "The policy ends without a line `quorum NAME`, such as `quorum none`.");
  const check = async (note: string) => {
    const cosigners: string[] = [];
    for (const [name, key] of witnesses) if (await isCosigned(note, key)) cosigners.push(name);
    const reached = new Set(["none", ...cosigners]);
    for (const [name, needed, members] of groups) {
      if (members.filter((each) => reached.has(each)).length >= needed) reached.add(name);
    }
    if (reached.has(quorum)) return cosigners;
    const seen = cosigners.join(", ") || "none";
    throw new ProofRefused(`The head lacks cosignatures: the policy asks for “${quorum}”, and ${seen} cosigned.`);
  };
  return { logs, check };
}
