/** Repetition of requests with the response 429 or 503. */

export interface Retries {
  /** How often a request is sent at most: 4, unless set. */
  attempts?: number;
  /** The longest pause in seconds: 60, unless set. A longer Retry-After is not waited for. */
  longest?: number;
  sleep?: (seconds: number) => Promise<unknown>;
}

const REPEATED = [429, 503];
const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Return `send` with repetitions. A POST that changes something is repeated only if it has an Idempotency-Key. */
export function retrying(send: typeof fetch, retries: Retries = {}): (request: Request) => Promise<Response> {
  const { attempts = 4, longest = 60, sleep = pause } = retries;
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const response = await send(request.clone());
      const seconds = retryAfter(response) ?? 2 ** (attempt - 1);
      const isLast = attempt >= attempts || seconds > longest;
      if (isLast || !REPEATED.includes(response.status) || !isRepeatable(request)) return response;
      await response.body?.cancel();
      await sleep(seconds);
    }
  };
}

/** These POST requests store nothing. */
const READING = /\/(urns\/(check|compare)|namespaces\/lookup|resolve)\/?$/;

function isRepeatable(request: Request): boolean {
  return (
    ["GET", "HEAD"].includes(request.method) ||
    request.headers.has("Idempotency-Key") ||
    READING.test(new URL(request.url).pathname)
  );
}

/** Retry-After in seconds (RFC 9110, Section 10.2.3). A date counts from that of the response. */
function retryAfter(response: Response): number | null {
  const value = response.headers.get("Retry-After")?.trim() ?? "";
  if (/^[0-9]+$/.test(value)) return Number(value);
  const seconds = (Date.parse(value) - Date.parse(response.headers.get("Date") ?? "")) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
