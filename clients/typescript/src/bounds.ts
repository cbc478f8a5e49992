/** Bounds of what a registry can make the client do. */

/** Octets of a response. */
const MAX_BODY = 64 * 1024 ** 2;
/** Milliseconds for a response, beside one for so many octets. */
const PATIENCE = 300_000;
const SLOWEST = 10;

/** Return the response with a body that ends with an error when it is too long or too slow. */
export function bounded(response: Response): Response {
  if (!response.body) return response;
  const begun = Date.now();
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(block, controller) {
      size += block.byteLength;
      if (size > MAX_BODY) throw new TypeError(`The response is longer than ${MAX_BODY} octets.`);
      if (Date.now() - begun > PATIENCE + size / SLOWEST) throw new TypeError("The response arrives too slowly.");
      controller.enqueue(block);
    },
  });
  return new Response(response.body.pipeThrough(limit), response);
}

/** Throw a TypeError if a URL would resolve a parameter of its path as another path. */
export function checkPath(parameters: Record<string, unknown> = {}): void {
  for (const [name, value] of Object.entries(parameters)) {
    if (["", ".", ".."].includes(String(value))) throw new TypeError(`“${value}” can't be ${name} in a path.`);
  }
}
