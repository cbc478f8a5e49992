/**
 * A namespace. `registered_on` and `updated_on` are days or months. `registrant` is the one of the registered text, whose
 * version is `version`; `organisation` is responsible today, by the profile.
 */
export interface Namespace {
  kind: "formal" | "informal";
  registered_on: string | null;
  updated_on: string | null;
  registrant: string | null;
  change_controller: string | null;
  organisation: string | null;
  url: string;
  deprecation: { deprecated_at: string; statement: string; successor: string | null } | null;
  version: { version: number; digest: string; registered_at: string } | null;
  confirmed_hosts: string[];
}

/** A NID that is in use although no namespace has it. */
export interface UnregisteredNid {
  nid: string;
  example: string;
  used_by: string;
  source: string;
}

/** `left_out` has the lengths of the lists of sub-namespaces that are not in the package; `proofs` is the number of proofs. */
export interface About {
  format: number;
  as_of: string;
  event: number;
  registry: string;
  head: string;
  left_out: Record<string, number>;
}

export const about: About;
export const namespaces: Record<string, Namespace>;
export const profiles: Record<string, Record<string, unknown>>;
export const subnamespaces: Record<string, Record<string, unknown>[]>;
export const unregistered: UnregisteredNid[];
/** What stands above the head in each proof; see `proof`. */
export const proofs: Record<string, string>;

/** The day of the last event that the data has, YYYY-MM-DD. */
export const AS_OF: string;
/** The newest published head of the audit log, a signed note; "" without one. */
export const HEAD: string;
/** The proof that the registration of a NID is in the log (https://c2sp.org/tlog-proof); null if the package has none. */
export function proof(nid: string): string | null;
