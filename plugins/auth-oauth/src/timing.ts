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
  /** Age below which keys are not fetched again. */
  readonly freshMs: number;
  /** Age above which keys are used only after they were fetched again or the fetch failed. */
  readonly firmMs: number;
  /** Age above which keys are not used at all. */
  readonly staleMs: number;
  /** After a fetch of keys, time for which an unknown `kid` causes no other fetch. */
  readonly unknownKeyMs: number;
  /**
   * After a fetch that did not find an unknown `kid`, time for which no other unknown `kid` causes a fetch.
   */
  readonly strangerMs: number;
  /** After a failed fetch, time until the next one when there are no keys. */
  readonly failureMs: number;
  /** After a failed fetch, time until the next one when there are older keys. */
  readonly retryMs: number;
  /** Time for which a discovery document is cached. */
  readonly discoveryMs: number;
  /** Maximum time for which a verified JWT is cached; never longer than the token is valid. */
  readonly tokenMs: number;
  /**
   * Time for which an introspected token is cached. It is short, because the token may be revoked at any
   * time.
   */
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
 * Times that the specification of MCP proxies requires: an unknown key causes a fetch at once, but later ones
 * cause at most one a minute.
 */
export const MCP_TIMING: Timing = { ...TIMING, unknownKeyMs: 0, strangerMs: 60 * SECOND };
