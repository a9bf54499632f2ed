import { randomBytes } from 'node:crypto';

export const OWN_REQUEST_HEADER = 'Portolan-Own-Request';

/** JSON-RPC methods that the supervisor may send to its own proxy. */
export const OWN_METHODS: readonly unknown[] = [
  'initialize',
  'server/discover',
  'notifications/initialized',
  'ping',
];

/**
 * List methods by which the supervisor reads the definitions of its server. They have keys only for requests
 * that bypass the middleware, because a policy may hide items.
 */
export const OWN_LIST_METHODS: readonly unknown[] = [
  'tools/list',
  'prompts/list',
  'resources/templates/list',
];

/** Maximum milliseconds between creation and use of a key. The response to the request may take longer. */
const MAX_AGE_MS = 10_000;

export interface OwnRequest {
  /** GET opens the stream of an HTTP+SSE session for the response to `initialize`. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly target: string;
  readonly session: string | undefined;
  readonly body: string | undefined;
  /** Whether no middleware sees the request and its response. Default: middleware sees them. */
  readonly bypassesMiddleware?: boolean;
}

/**
 * One-time keys for the supervisor's own requests: health checks and reads of definitions. A key is valid once, for
 * 10 seconds and one request, and leaves the process only in this request.
 */
export class OwnRequests {
  readonly #made = new Map<string, { readonly request: OwnRequest; readonly untilMs: number }>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /**
   * Creates a one-time key for this request. Throws a TypeError for a method outside of OWN_METHODS, for a list
   * that does not bypass the middleware, and for a DELETE without a session.
   */
  makeKey(request: OwnRequest): string {
    const fault = findFault(request);
    if (fault !== undefined) throw new TypeError(`the supervisor has no key for ${fault}`);
    const nowMs = this.#nowMs();
    for (const [key, { untilMs }] of this.#made) if (untilMs < nowMs) this.#made.delete(key);
    const key = randomBytes(32).toString('base64url');
    this.#made.set(key, { request, untilMs: nowMs + MAX_AGE_MS });
    return key;
  }

  /** Consumes a key and returns its request. Undefined for a used, expired or unknown key. */
  take(key: string): OwnRequest | undefined {
    const made = this.#made.get(key);
    this.#made.delete(key);
    return made === undefined || made.untilMs < this.#nowMs() ? undefined : made.request;
  }
}

function findFault({ method, session, body, bypassesMiddleware = false }: OwnRequest): string | undefined {
  if (method === 'DELETE') return session === undefined ? 'a DELETE without a session' : undefined;
  if (method === 'GET') return undefined;
  const message: unknown = JSON.parse(body ?? 'null');
  const request =
    typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined;
  if (bypassesMiddleware && OWN_LIST_METHODS.includes(request)) return undefined;
  return OWN_METHODS.includes(request) ? undefined : String(request);
}
