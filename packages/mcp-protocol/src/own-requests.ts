import { randomBytes } from 'node:crypto';

/** Header that carries the key of a request of the supervisor itself. */
export const OWN_REQUEST_HEADER = 'Portolan-Own-Request';

/** JSON-RPC methods that the supervisor may send through its own listener. */
export const OWN_METHODS: readonly unknown[] = [
  'initialize',
  'server/discover',
  'notifications/initialized',
  'ping',
];

/** Maximum time between making a key and using it, in milliseconds. The response may take longer. */
const MAX_AGE_MS = 10_000;

/** A request that a key is good for, exactly as it arrives. */
export interface OwnRequest {
  /** GET opens the stream of an HTTP+SSE session, on which the response to `initialize` arrives. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query of the request line. */
  readonly target: string;
  /** Value of `Mcp-Session-Id`; undefined when the request has none. */
  readonly session: string | undefined;
  /** One JSON-RPC message; undefined when the request has no body. */
  readonly body: string | undefined;
}

/**
 * Keys of the supervisor's own requests. A proxy and the code that opened it
 * share one object, so a key never leaves the process except in its request.
 * Each key is good once, within 10 s, for the request it was made for.
 */
export class OwnRequests {
  readonly #made = new Map<string, { readonly request: OwnRequest; readonly untilMs: number }>();
  readonly #nowMs: () => number;

  /** `nowMs` is a monotonic clock. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /**
   * Returns a key for one request. Throws a TypeError for a message whose method
   * is not in OWN_METHODS and for the end of no session.
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

  /** Returns the request that a key was made for, and forgets the key; undefined for a used, expired or unknown one. */
  take(key: string): OwnRequest | undefined {
    const made = this.#made.get(key);
    this.#made.delete(key);
    return made === undefined || made.untilMs < this.#nowMs() ? undefined : made.request;
  }
}

function findFault({ method, session, body }: OwnRequest): string | undefined {
  if (method === 'DELETE') return session === undefined ? 'the end of no session' : undefined;
  if (method === 'GET') return undefined;
  const message: unknown = JSON.parse(body ?? 'null');
  const asked =
    typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined;
  return OWN_METHODS.includes(asked) ? undefined : String(asked);
}
