const API = "https://registry.example.org/api/v1";

interface Namespace {
  nid: string;
  kind: "formal" | "informal";
  status: "active" | "deprecated";
}

// The namespace of book numbers.
const response = await fetch(`${API}/namespaces/isbn/`);
const namespace = (await response.json()) as Namespace;
console.log(namespace.nid, namespace.kind, namespace.status);

// One URN: its normal form, and whether it follows the rules of its namespace.
const urn = await (await fetch(`${API}/urns/urn:isbn:0-451-45052-3`)).json();
console.log(urn.normalized, urn.judgement.conformant);

// Has the namespace changed? 304 says that it has not.
const etag = response.headers.get("ETag")!;
const again = await fetch(`${API}/namespaces/isbn/`, { headers: { "If-None-Match": etag } });
console.log(again.status);
