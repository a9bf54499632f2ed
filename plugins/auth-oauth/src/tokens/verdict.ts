import type { Identity } from '@portolan/plugin-api';

/** Why a token is refused: for the log, which may not have more of it. */
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

/** Something that is wrong with a token. */
export interface Fault {
  readonly reason: RefusalReason;
  /** For whoever may see the token: part of a sentence, with values of it. */
  readonly because: string;
}

/** What a provider says of a token. */
export type Verdict =
  | {
      readonly outcome: 'accepted';
      readonly identity: Identity;
      readonly because: string;
      /** Until when it may be remembered. */
      readonly goodUntilMs: number;
      /** Claims of a JWT stay as they are; those of an opaque token are the provider's of that moment. */
      readonly claimsMayChange: boolean;
    }
  | { readonly outcome: 'refused'; readonly faults: readonly [Fault, ...Fault[]] }
  | { readonly outcome: 'unavailable'; readonly cause: unknown };
