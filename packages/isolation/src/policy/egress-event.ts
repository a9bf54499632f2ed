import type { AddressRefusal } from './decide-address.ts';

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

export interface EgressRefusal {
  readonly allowed: false;
  readonly reason: EgressRefusalReason;
  /** What was refused and why, without a full stop: `other.example is not in allow_host`. */
  readonly text: string;
}

export interface EgressEvent {
  readonly workload: string;
  /** Method of the request; `DNS` for a name lookup. */
  readonly method: string;
  /** Normalized host. An unparsable one as written, truncated. */
  readonly host: string;
  /** Undefined for a name lookup and for an unparsable port. */
  readonly port: number | undefined;
  readonly allowed: boolean;
  /**
   * Rule that allowed the traffic (an entry of `allow_host`, `allow_port`, `insecure_allow_all`,
   * `container-gateway` or, for a build, `build credentials`), otherwise the reason.
   */
  readonly rule: string;
  readonly text?: string;
  readonly via?: string;
  /** Why allowed traffic failed: `ECONNREFUSED`. */
  readonly failure?: string;
}

export type EgressListener = (event: EgressEvent) => void;

export function refuse(reason: EgressRefusalReason, text: string): EgressRefusal {
  return { allowed: false, reason, text };
}

/** Returns the code of a system error; `failed` for others. */
export function failureCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'failed';
}
