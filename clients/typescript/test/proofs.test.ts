import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ProofRefused, verify, type Evidence } from "urnregistry/proofs";

/** The same cases as those of the client for Python, which writes them. */
const file = process.env["PROOF_CASES"] ?? "";
const cases: { name: string; evidence: Evidence; refusal: string }[] = JSON.parse(readFileSync(file, "utf-8"));

for (const { name, evidence, refusal } of cases) {
  test(`a proof: ${name}`, async () => {
    if (!refusal) {
      const proven = await verify(evidence);
      assert.equal(proven.number, 5);
      assert.deepEqual(proven.cosigners, evidence.policy ? ["first"] : []);
      assert.match(proven.sentence, /event 5 of registry\.example\.org\/audit-log/);
    } else {
      await assert.rejects(verify(evidence), (fault) => {
        assert(fault instanceof ProofRefused, String(fault));
        assert(fault.message.includes(refusal), fault.message);
        return true;
      });
    }
  });
}

test("a changed octet is refused anywhere", async () => {
  const evidence = cases[0]?.evidence;
  assert(evidence?.text);
  const { proof, text } = evidence;
  for (let at = 0; at < proof.length; at += 1) {
    await assert.rejects(verify({ ...evidence, proof: changed(proof, at) }), ProofRefused, `character ${at}`);
  }
  for (let at = 0; at < text.length; at += 1) {
    await assert.rejects(verify({ ...evidence, text: changed(text, at) }), ProofRefused, `character ${at}`);
  }
});

function changed(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === "B" ? "C" : "B") + text.slice(at + 1);
}

test("what can't be checked is an error, and no answer", async () => {
  const { proof = "", text = "" } = cases[0]?.evidence ?? {};
  await assert.rejects(verify({ proof, keys: ["nonsense"] }), /not a verifier key/);
  await assert.rejects(verify({ proof, keys: cases[0]?.evidence.keys ?? [], text }), /give both/);
  for (const policy of ["", "quorum who", "quorum none\nquorum none", "witness a b", "group none 1 a", "quorum none\r", "log"]) {
    await assert.rejects(verify({ proof, policy }), TypeError, policy);
  }
});

test("a browser without Ed25519 says so", async (context) => {
  const evidence = cases[0]?.evidence;
  assert(evidence);
  const missing = new DOMException("Unrecognized name.", "NotSupportedError");
  context.mock.method(crypto.subtle, "importKey", () => Promise.reject(missing));
  await assert.rejects(verify(evidence), /Nothing was checked: this browser has no Ed25519/);
});
