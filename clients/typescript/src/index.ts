/** Client of a registry of URN namespaces (RFC 8141): openapi-fetch with the types of the API, and thin helpers. */

import createClient, { type Client } from "openapi-fetch";

import { bounded, checkPath } from "./bounds.js";
import { Problem } from "./problem.js";
import { retrying, type Retries } from "./retrying.js";
import type { components, paths } from "./schema.js";

export { Problem } from "./problem.js";
export type { Retries } from "./retrying.js";
export type { components, paths } from "./schema.js";

type Schemas = components["schemas"];
type Query<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : never;

export type Registry = Client<paths>;
export type Namespace = Schemas["Namespace"];
/** An event of a list. With `fields`, only the chosen members and the number are present. */
export type Event = Schemas["EventEntry"];
export type URNJudgement = Schemas["URNJudgementResult"];

export interface Options {
  /** An API token. It is sent to the address of the registry alone. */
  token?: string;
  fetch?: typeof fetch;
  /** How requests with the response 429 or 503 are repeated. */
  retries?: Retries;
}

/** So many URNs belong to no more namespaces than the registry judges at once. */
const BLOCK = 500;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Return a client for the registry at this address. An error response rejects with a `Problem`.
 *
 * Results have the type of the JSON. For a text, such as `template.txt`, pass `{ parseAs: "text" }`. A response of more than 64 MiB
 * or 5 minutes is an error, unless you pass `{ parseAs: "stream" }`.
 */
export function createRegistry(url: string, options: Options = {}): Registry {
  const { protocol, hostname } = new URL(url);
  if (options.token && protocol === "http:" && !LOOPBACK.includes(hostname)) {
    throw new TypeError("A token is not sent over http, where others can read it. Use https.");
  }
  const registry = createClient<paths>({
    baseUrl: url.replace(/\/+$/, ""),
    fetch: retrying(options.fetch ?? fetch, options.retries),
    redirect: "error",
    ...(options.token && { headers: { Authorization: `Bearer ${options.token}` } }),
  });
  registry.use({
    onRequest({ params }) {
      checkPath(params.path);
    },
    async onResponse({ response, options }) {
      // Who asks for a stream decides how much of it to read.
      const received = response.ok && options.parseAs === "stream" ? response : bounded(response);
      if (!response.ok && response.status !== 304) throw await Problem.of(received);
      return received;
    },
  });
  return registry;
}

/** All namespaces that match the query, page by page. */
export function namespaces(
  registry: Registry,
  query: Query<"/api/v1/namespaces/"> = {},
): AsyncGenerator<Namespace> {
  return entries(query, (query) => registry.GET("/api/v1/namespaces/", { params: { query } }));
}

/** The events after the number `since`. Keep the number of the last one: it is `since` of the next call. */
export function events(registry: Registry, query: Query<"/api/v1/events/"> = {}): AsyncGenerator<Event> {
  return entries(query, (query) => registry.GET("/api/v1/events/", { params: { query } }));
}

/** Check URNs of any number by the rules of their namespaces, in order. `urns` is read in blocks of 500. */
export async function* check(registry: Registry, urns: Iterable<string>): AsyncGenerator<URNJudgement> {
  for (const block of blocks(urns)) {
    const { data } = await registry.POST("/api/v1/urns/check/", { body: { urns: block, level: "namespace" } });
    // The results of the other level have another type.
    yield* needed(data).results as URNJudgement[];
  }
}

interface Page<T> {
  results: T[];
  has_more: boolean;
  next: string | null;
}

async function* entries<Q extends object, T>(
  first: Q,
  read: (query: Q) => Promise<{ data?: Page<T> }>,
): AsyncGenerator<T> {
  const asked = new Set<string>();
  for (let query: Q | null = first; query; ) {
    asked.add(keyOf(query));
    const page: Page<T> = needed((await read(query)).data);
    yield* page.results;
    // Only the query is used, because `next` may name another host than that of the client.
    query = page.has_more && page.next ? (Object.fromEntries(new URL(page.next).searchParams) as Q) : null;
    if (query && (!page.results.length || asked.has(keyOf(query)))) {
      throw new TypeError("The list has no end: its pages are empty, or repeat themselves.");
    }
  }
}

function keyOf(query: object): string {
  return JSON.stringify(Object.entries(query).map(([name, value]) => [name, String(value)]).sort());
}

function* blocks(urns: Iterable<string>): Generator<string[]> {
  let block: string[] = [];
  for (const urn of urns) {
    if (block.push(urn) < BLOCK) continue;
    yield block;
    block = [];
  }
  if (block.length) yield block;
}

function needed<T>(data: T | undefined): T {
  if (data === undefined) throw new TypeError("The response has no body.");
  return data;
}
