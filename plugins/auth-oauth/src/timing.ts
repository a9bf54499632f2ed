/** How long things take and last, in milliseconds. Tests shorten what they would wait for. */
export interface Timing {
  /** One request to a provider. */
  readonly requestMs: number;
  /** Waits between the attempts to get keys; one more attempt than waits. */
  readonly backOffMs: readonly number[];
  /** Most time a request waits for keys; getting them goes on. Below what a server gives a request: it is to say why. */
  readonly patienceMs: number;
  /** Keys younger than this are not asked for again. */
  readonly freshMs: number;
  /** Older keys are used only after asking again, or when that fails. */
  readonly firmMs: number;
  /** Older keys are not used at all. */
  readonly staleMs: number;
  /** After keys were asked for, no unknown `kid` is a reason to ask again for this time. */
  readonly unknownKeyMs: number;
  /** After keys were asked for because of an unknown `kid`, and it stayed unknown, no other is a reason for this time. */
  readonly strangerMs: number;
  /** After keys could not be had, they are not asked for again for this time: where there are none, */
  readonly failureMs: number;
  /** and where there are older ones to go on with. */
  readonly retryMs: number;
  /** What discovery said is remembered for this time. */
  readonly discoveryMs: number;
  /** A verified JWT is remembered for this time, and not beyond its end. */
  readonly tokenMs: number;
  /** An introspected token is remembered for this time, since it may be revoked at any moment. */
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

/** As the specification of MCP's proxies wants it: once a minute for unknown keys, but at once for the first. */
export const MCP_TIMING: Timing = { ...TIMING, unknownKeyMs: 0, strangerMs: 60 * SECOND };
