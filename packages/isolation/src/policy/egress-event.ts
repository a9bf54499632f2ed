import type { AddressRefusal } from './decide-address.ts';

/** Why something may not leave. */
export type EgressRefusalReason =
  | AddressRefusal
  | 'request-invalid'
  | 'host-invalid'
  | 'container-gateway'
  | 'nothing-allowed'
  | 'host-not-allowed'
  | 'port-not-allowed'
  | 'surroundings-unknown'
  | 'name-not-resolved'
  | 'reached-this-host'
  | 'not-tls'
  | 'server-name-differs'
  | 'answered-before'
  | 'too-many-connections';

/** A refusal with a sentence for whoever reads the program's error. */
export interface EgressRefusal {
  readonly allowed: false;
  readonly reason: EgressRefusalReason;
  /** What was refused and why, without a full stop: `other.example is not in allow_host`. */
  readonly text: string;
}

/** One decision of the policy engine: a request, a tunnel, or a name that was asked for. */
export interface EgressEvent {
  readonly workload: string;
  /** The request's method; `DNS` for a name that was asked for. */
  readonly method: string;
  /** In its one writing; as it was written, shortened, where it could not be read. */
  readonly host: string;
  /** Undefined for a name that was asked for, and for what could not be read. */
  readonly port: number | undefined;
  readonly allowed: boolean;
  /**
   * Which rule decided: of what is allowed the entry of `allow_host`,
   * `allow_port`, `insecure_allow_all`, `container-gateway` or, of a build,
   * `build credentials`; else the reason.
   */
  readonly rule: string;
  /** The sentence that the program was told; only of a refusal. */
  readonly text?: string;
  /** The address that was dialled, or the proxy through which it went. */
  readonly via?: string;
  /** Why nothing came of what was allowed: `ECONNREFUSED`. */
  readonly failure?: string;
}

export type EgressListener = (event: EgressEvent) => void;

/** A refusal as a value. */
export function refuse(reason: EgressRefusalReason, text: string): EgressRefusal {
  return { allowed: false, reason, text };
}

/** The code of a system error, for an event; `failed` for what has none. */
export function failureCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'failed';
}
