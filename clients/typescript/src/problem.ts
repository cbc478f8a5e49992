/** Problem documents (RFC 9457) as errors. */

/** An error response. One without a problem document, such as that of a proxy, has the type `about:blank`. */
export class Problem extends Error {
  readonly status: number;
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** All members of the document, such as `errors` or `nid_status`. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;

  constructor(status: number, members: Record<string, unknown>, requestId: string | null = null) {
    const text = (name: string): string => (typeof members[name] === "string" ? members[name] : "");
    super(text("detail") || text("title") || `Status ${status}`);
    this.name = "Problem";
    this.status = status;
    this.type = text("type") || "about:blank";
    this.title = text("title");
    this.detail = text("detail");
    this.members = members;
    this.requestId = requestId;
  }

  /** The last part of the type, such as `namespace-unknown`. */
  get code(): string {
    return this.type.replace(/\/+$/, "").split("/").at(-1) ?? "";
  }

  static async of(response: Response): Promise<Problem> {
    const isProblem = response.headers.get("Content-Type")?.includes("problem+json");
    const body: unknown = isProblem ? await response.json().catch(() => null) : null;
    const members = typeof body === "object" && body ? { ...body } : { title: response.statusText };
    return new Problem(response.status, members, response.headers.get("X-Request-ID"));
  }
}
