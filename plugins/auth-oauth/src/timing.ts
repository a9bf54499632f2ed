/** Timeouts and lifetimes in milliseconds. Tests shorten them. */
export interface Timing {
  /** Timeout of one request to a provider. */
  readonly requestMs: number;
  /** Waits between attempts to get keys. */
  readonly backOffMs: readonly number[];
  /**
   * Maximum wait of a request for keys; the fetch continues after it. Shorter than the server's request
   * timeout, so that the response states the reason.
   */
  readonly patienceMs: number;
  /** Younger keys are not fetched again. */
  readonly freshMs: number;
  /** Older keys are used only after a new fetch, or its failure. */
  readonly firmMs: number;
  /** Older keys are not used at all. */
  readonly staleMs: number;
  /** After a fetch of keys, an unknown `kid` causes no other one for this time. */
  readonly unknownKeyMs: number;
  /**
   * After a fetch because of an unknown `kid` that did not find it, no other `kid` causes one for this time.
   */
  readonly strangerMs: number;
  /** After a failed fetch of keys, no other one follows for this time without keys, */
  readonly failureMs: number;
  /** and for this time with older keys. */
  readonly retryMs: number;
  /** Cache of a discovery document. */
  readonly discoveryMs: number;
  /** Cache of a verified JWT; ends with the token. */
  readonly tokenMs: number;
  /** Cache of an introspected token; short, because it may be revoked at any time. */
  readonly opaqueMs: number;
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;

export const TIMING: Timing = {
  requestMs: 5 * SECOND,
  backOffMs: [0.5 * SECOND, 2 * SECOND],
  patienceMs: 8 * SECOND,
  freshMs: 300 * SECOND,
  firmMs: HOUR,
  staleMs: 24 * HOUR,
  unknownKeyMs: 5 * SECOND,
  strangerMs: 5 * SECOND,
  failureMs: SECOND,
  retryMs: 30 * SECOND,
  discoveryMs: HOUR,
  tokenMs: 60 * SECOND,
  opaqueMs: 15 * SECOND,
};

/**
 * The specification of MCP proxies requires once a minute for unknown keys, and immediately for the first.
 */
export const MCP_TIMING: Timing = { ...TIMING, unknownKeyMs: 0, strangerMs: 60 * SECOND };
