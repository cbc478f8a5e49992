/** The client against a registry that means harm. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem, createRegistry, events, namespaces, type Options } from "urnregistry";

const JSON_TYPE = { "Content-Type": "application/json" };

function serving(respond: (request: Request) => Response, options: Options = {}) {
  const sent: Request[] = [];
  const fetch = async (request: Request) => {
    sent.push(request);
    if (sent.length > 20) throw new Error("The client does not end.");
    return respond(request);
  };
  const settings = { ...options, fetch: fetch as typeof globalThis.fetch };
  return { client: createRegistry("https://registry.example.org", settings), sent };
}

async function all(entries: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of entries) count++;
  return count;
}

function endless(): ReadableStream<Uint8Array> {
  const block = new Uint8Array(1024 ** 2).fill(32);
  return new ReadableStream({ pull: (controller) => controller.enqueue(block) });
}

for (const status of [200, 404]) {
  test(`a body without an end is left (${status})`, { timeout: 60_000 }, async () => {
    const headers = { "Content-Type": status === 200 ? "application/json" : "application/problem+json" };
    const { client } = serving(() => new Response(endless(), { status, headers }));
    const asked = client.GET("/api/v1/");
    if (status === 200) await assert.rejects(asked, /longer than/);
    else await assert.rejects(asked, { status });
  });
}

test("a stream is as long as its reader wants", async () => {
  const { client } = serving(() => new Response(endless(), { headers: JSON_TYPE }));
  const { data } = await client.GET("/api/v1/", { parseAs: "stream" });
  await data?.cancel();
});

test("a list ends", async () => {
  const next = "https://registry.example.org/api/v1/events/?since=";
  const page = (body: object) => () => new Response(JSON.stringify(body), { headers: JSON_TYPE });
  const same = serving(page({ results: [{}], has_more: true, next: `${next}1` }));
  await assert.rejects(all(events(same.client, { since: 1 })), /no end/);
  const empty = serving(page({ results: [], has_more: true, next: `${next}5` }));
  await assert.rejects(all(namespaces(empty.client)), /no end/);
  let turn = 0;
  const circle = serving(() => page({ results: [{}], has_more: true, next: `${next}${turn++ % 2}` })());
  await assert.rejects(all(events(circle.client, { since: 1 })), /no end/);
});

test("another host gets no page and no token", async () => {
  const bodies = [
    { results: [{}], has_more: true, next: "https://thief.example/api/v1/events/?since=7&__proto__=x" },
    { results: [], has_more: false, next: null },
  ];
  const respond = () => new Response(JSON.stringify(bodies.shift()), { headers: JSON_TYPE });
  const { client, sent } = serving(respond, { token: "secret" });
  assert.equal(await all(events(client)), 1);
  assert.deepEqual(sent.map((each) => new URL(each.url).host), Array(2).fill("registry.example.org"));
  assert(sent.every((each) => each.redirect === "error"));
});

test("a parameter leads to no other path", async () => {
  const { client, sent } = serving(() => new Response("{}", { headers: JSON_TYPE }));
  for (const nid of ["", ".", ".."]) {
    await assert.rejects(client.GET("/api/v1/namespaces/{nid}/", { params: { path: { nid } } }), TypeError);
  }
  assert.equal(sent.length, 0);
  await client.GET("/api/v1/namespaces/{nid}/", { params: { path: { nid: "../../a?b#c\r\n" } } });
  assert.equal(new URL(sent[0]?.url ?? "").pathname, "/api/v1/namespaces/..%2F..%2Fa%3Fb%23c%0D%0A/");
});

test("a document changes no prototype", async () => {
  const body = '{"__proto__": {"polluted": true}, "title": {"a": 1}, "detail": [], "type": 5, "constructor": 1}';
  const headers = { "Content-Type": "application/problem+json" };
  const { client } = serving(() => new Response(body, { status: 400, headers }));
  await assert.rejects(client.GET("/api/v1/"), (problem) => {
    assert(problem instanceof Problem);
    assert.equal(problem.message, "Status 400");
    return true;
  });
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});

test("no pause is longer than the longest", async () => {
  for (const value of ["99999999999", "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT", "-1", "NaN", "1e3", "x"]) {
    const pauses: number[] = [];
    const sleep = async (seconds: number) => void pauses.push(seconds);
    const headers = { "Retry-After": value, Date: "Mon, 23 Nov 2026 10:00:00 GMT" };
    const { client } = serving(() => new Response(null, { status: 503, headers }), { retries: { sleep } });
    await assert.rejects(client.GET("/api/v1/"), { status: 503 });
    assert(pauses.length < 4 && pauses.every((each) => each >= 0 && each <= 60), value);
  }
});
