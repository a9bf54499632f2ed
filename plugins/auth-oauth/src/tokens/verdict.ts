import type { Identity } from '@portolan/plugin-api';

/** Why a token is refused, for the log, which must not contain more about it. */
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

/** A fault of a token. */
export interface Fault {
  readonly reason: RefusalReason;
  /** For readers who may see the token: part of a sentence, with values of the token. */
  readonly because: string;
}

/** A provider's verdict about a token. */
export type Verdict =
  | {
      readonly outcome: 'accepted';
      readonly identity: Identity;
      readonly because: string;
      /** End of the time for which it may be cached. */
      readonly goodUntilMs: number;
      /**
       * Whether they may change: claims of a JWT never do; those of an opaque token are the provider's at
       * that moment.
       */
      readonly claimsMayChange: boolean;
    }
  | { readonly outcome: 'refused'; readonly faults: readonly [Fault, ...Fault[]] }
  | { readonly outcome: 'unavailable'; readonly cause: unknown };
