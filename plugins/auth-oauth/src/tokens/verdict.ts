import type { Identity } from '@portolan/plugin-api';

/** Reasons for rejecting a token. The log must not contain more about a token. */
export const REFUSAL_REASONS = [
  'too-long',
  'not-a-jwt',
  'algorithm',
  'type',
  'critical-header',
  'key-id',
  'issuer',
  'audience',
  'client',
  'expiry',
  'expired',
  'not-yet-valid',
  'issued-in-future',
  'subject',
  'unknown-key',
  'signature',
  'inactive',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export interface Fault {
  readonly reason: RefusalReason;
  /** Part of a sentence with values of the token, for readers who may see it. */
  readonly because: string;
}

export type Verdict =
  | {
      readonly outcome: 'accepted';
      readonly identity: Identity;
      readonly because: string;
      /** Time in milliseconds until which the verdict may be cached. */
      readonly goodUntilMs: number;
      /**
       * Whether the claims may change. Claims of a JWT never change; claims of an opaque token are those of
       * the provider at the time of the request.
       */
      readonly claimsMayChange: boolean;
    }
  | { readonly outcome: 'refused'; readonly faults: readonly [Fault, ...Fault[]] }
  | { readonly outcome: 'unavailable'; readonly cause: unknown };
