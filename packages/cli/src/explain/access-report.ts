import type { AccessExplanation } from '@portolan/authorization';

/** What one provider says of the token, without what the token holds. */
export interface ProviderVerdict {
  readonly provider: string;
  readonly issuer: string;
  readonly accepted: boolean;
  /** A sentence. */
  readonly because: string;
}

/** All there is to say, as `--format json` prints it. */
export interface AccessReport extends AccessExplanation {
  /** One for each configured provider; null where the token was not looked at, or by the server. */
  readonly providers: readonly ProviderVerdict[] | null;
  /** Sentences about what limits the explanation. */
  readonly notes: readonly string[];
}
