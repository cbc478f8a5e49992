import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem, check, createRegistry, events, namespaces, type Options } from "urnregistry";

const url = process.env["URNREGISTRY_URL"] ?? "";
const registry = createRegistry(url);

async function listed<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of entries) found.push(each);
  return found;
}

/** A client whose server responds with these responses in turn. */
function prepared(responses: Response[], options: Options = {}) {
  const sent: Request[] = [];
  const pauses: number[] = [];
  const fetch = async (request: Request) => {
    sent.push(request);
    return responses.shift() ?? new Response("{}", { headers: { "Content-Type": "application/json" } });
  };
  const sleep = async (seconds: number) => void pauses.push(seconds);
  const retries = { sleep, ...options.retries };
  const client = createRegistry("https://registry.example.org", {
    ...options,
    fetch: fetch as typeof globalThis.fetch,
    retries,
  });
  return { client, sent, pauses };
}

test("an unknown namespace is a problem with its members", async () => {
  const params = { path: { nid: "example-forest" } };
  await assert.rejects(registry.GET("/api/v1/namespaces/{nid}/", { params }), (problem) => {
    assert(problem instanceof Problem);
    assert.deepEqual([problem.status, problem.code], [404, "namespace-unknown"]);
    assert.equal(problem.members["nid_status"], "free");
    assert.equal(problem.title, "No such namespace");
    assert.match(problem.message, /example-forest/);
    assert(problem.requestId);
    return true;
  });
});

test("a namespace that has not changed is confirmed without a body", async () => {
  const path = { nid: "isbn" };
  // The first response after a change may be compressed, and then has an ETag of its own.
  await registry.GET("/api/v1/namespaces/{nid}/", { params: { path } });
  const { response } = await registry.GET("/api/v1/namespaces/{nid}/", { params: { path } });
  const header = { "If-None-Match": response.headers.get("ETag") ?? "" };
  const again = await registry.GET("/api/v1/namespaces/{nid}/", { params: { path, header } });
  assert.equal(again.response.status, 304);
});

test("all pages are read", async () => {
  const nids = (await listed(namespaces(registry, { page_size: 20 }))).map((each) => each.nid);
  assert(nids.length > 100);
  assert.equal(new Set(nids).size, nids.length);
  const informal = await listed(namespaces(registry, { kind: "informal", page_size: 2 }));
  assert(informal.length > 2);
  assert(informal.every((each) => each.kind === "informal"));
});

test("events follow each other without gaps", async () => {
  const numbers = (await listed(events(registry, { since: 10, page_size: 100 }))).map((each) => each.number);
  assert(numbers.length > 100);
  assert.deepEqual(numbers, numbers.map((_, index) => index + 11));
  await assert.rejects(listed(events(registry, { since: 999_999 })), { code: "log-behind", status: 409 });
});

test("URNs are checked in order, and read as the results are", async () => {
  const urns = ["urn:isbn:hello", "urn:isbn:0451450523", "urn:neverheard:x"];
  const found = await listed(check(registry, Array(300).fill(urns).flat()));
  assert.deepEqual(found.slice(0, 3).map((each) => each.conformant), [false, true, null]);
  assert.equal(found.length, 900);
  let taken = 0;
  function* endless() {
    for (;;) yield `urn:example:${++taken}`;
  }
  for await (const _ of check(registry, endless())) break;
  assert(taken < 10_000);
});

test("a page of a proxy is a problem without a type", async () => {
  const { client } = prepared([new Response("<h1>Away</h1>", { status: 502, statusText: "Bad Gateway" })]);
  await assert.rejects(client.GET("/api/v1/"), { type: "about:blank", status: 502, title: "Bad Gateway" });
});

test("a request is repeated after Retry-After, a bounded number of times", async () => {
  const busy = (after: string, status = 429) => new Response(null, { status, headers: { "Retry-After": after } });
  const dates = { Date: "Mon, 23 Nov 2026 10:00:00 GMT", "Retry-After": "Mon, 23 Nov 2026 10:00:09 GMT" };
  const byDate = new Response(null, { status: 503, headers: dates });
  const good = prepared([busy("7"), byDate, new Response(null, { status: 503 })]);
  await good.client.POST("/api/v1/urns/check/", { body: ["urn:example:a"] });
  assert.deepEqual(good.pauses, [7, 9, 4]);
  const bounded = prepared(Array.from({ length: 9 }, () => busy("7")), { retries: { attempts: 3 } });
  await assert.rejects(bounded.client.GET("/api/v1/"), { status: 429 });
  assert.deepEqual(bounded.pauses, [7, 7]);
  const long = prepared([busy("61")]);
  await assert.rejects(long.client.GET("/api/v1/"), { status: 429 });
  assert.deepEqual(long.pauses, []);
});

test("a POST that only reads is repeated", async () => {
  const { client, sent } = prepared([new Response(null, { status: 503 })]);
  await client.POST("/api/v1/namespaces/lookup/", { body: { nids: ["isbn"] } });
  assert.equal(sent.length, 2);
});

test("a change is repeated only with an Idempotency-Key", async () => {
  const away = () => new Response(null, { status: 503 });
  const body = { kind: "informal" } as const;
  const without = prepared([away()]);
  await assert.rejects(without.client.POST("/api/v1/cases/", { body }), { status: 503 });
  const keyed = prepared([away()]);
  const header = { "Idempotency-Key": "4711" };
  await keyed.client.POST("/api/v1/cases/", { body, params: { header } });
  assert.deepEqual([without.sent.length, keyed.sent.length], [1, 2]);
});

test("a token is sent, but not over http", async () => {
  const { client, sent } = prepared([], { token: "secret" });
  await client.GET("/api/v1/");
  assert.equal(sent[0]?.headers.get("Authorization"), "Bearer secret");
  assert.throws(() => createRegistry("http://registry.example.org", { token: "secret" }), /https/);
});
