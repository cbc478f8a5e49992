const API = "https://registry.example.org/api/v1";

/** Send a request with the token. A response that is not a success is a problem document. */
async function send(method: string, url: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${process.env.TOKEN}`, "Content-Type": "application/json", ...headers },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error((await response.json()).detail);
  return response;
}

// Start a case. If the response is lost, the same request with the same key is safe.
const request = { kind: "formal", sections: { namespace_identifier: "example-shrubs" } };
const key = { "Idempotency-Key": `"${crypto.randomUUID()}"` };
const made = await (await send("POST", `${API}/cases/`, request, key)).json();
const repeated = await (await send("POST", `${API}/cases/`, request, key)).json();
console.log(made.number === repeated.number);

// Read the draft, and change one section. If-Match protects the changes of others.
const draft = await send("GET", made.links.draft);
const change = { sections: { purpose: "Names shrubs in the care of botanical gardens." } };
const current = { "If-Match": draft.headers.get("ETag")! };
const saved = await (await send("PATCH", made.links.draft, change, current)).json();
console.log(saved.sections.purpose);

// What is missing before the case can be submitted?
const check = await (await send("POST", made.links.check, {})).json();
for (const finding of check.findings) {
  console.log(finding.section, finding.severity, finding.message);
}
