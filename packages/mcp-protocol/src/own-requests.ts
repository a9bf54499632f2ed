import { randomBytes } from 'node:crypto';

/** Header with the key of the supervisor's own request. */
export const OWN_REQUEST_HEADER = 'Portolan-Own-Request';

/** JSON-RPC methods that the supervisor may send to its own proxy. */
export const OWN_METHODS: readonly unknown[] = [
  'initialize',
  'server/discover',
  'notifications/initialized',
  'ping',
];

/** Maximum time between the creation of a key and its use, in milliseconds. The response may take longer. */
const MAX_AGE_MS = 10_000;

/** Request that a key permits. The received request must be equal. */
export interface OwnRequest {
  /** GET opens the stream of an HTTP+SSE session, on which the response to `initialize` arrives. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query of the request line. */
  readonly target: string;
  readonly session: string | undefined;
  /** One JSON-RPC message; undefined when the request has no body. */
  readonly body: string | undefined;
}

/**
 * One-time keys for the supervisor's own health requests. A key leaves the process only inside its request.
 * It is valid once, for 10 seconds, and for one request.
 */
export class OwnRequests {
  readonly #made = new Map<string, { readonly request: OwnRequest; readonly untilMs: number }>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /**
   * Returns a key for one request. Throws a TypeError for a method outside of OWN_METHODS, and for a DELETE
   * without a session.
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

function findFault({ method, session, body }: OwnRequest): string | undefined {
  if (method === 'DELETE') return session === undefined ? 'a DELETE without a session' : undefined;
  if (method === 'GET') return undefined;
  const message: unknown = JSON.parse(body ?? 'null');
  const asked =
    typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined;
  return OWN_METHODS.includes(asked) ? undefined : String(asked);
}
