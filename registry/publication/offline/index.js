import about from "./about.js";
import namespaces from "./namespaces.js";
import profiles from "./profiles.js";
import proofs from "./proofs.js";
import subnamespaces from "./subnamespaces.js";
import unregistered from "./unregistered.js";

export { about, namespaces, profiles, proofs, subnamespaces, unregistered };

export const AS_OF = about.as_of;

export const HEAD = about.head;

export function proof(nid) {
  const name = nid.toLowerCase();
  return Object.hasOwn(proofs, name) ? proofs[name] + HEAD : null;
}
