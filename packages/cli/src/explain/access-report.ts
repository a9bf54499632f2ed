import type { AccessExplanation } from '@portolan/authorization';

/** Verdict of one provider on the token, without the content of the token. */
export interface ProviderVerdict {
  readonly provider: string;
  readonly issuer: string;
  readonly accepted: boolean;
  /** Reason, as a sentence. */
  readonly because: string;
}

/** The complete explanation, as `--format json` prints it. */
export interface AccessReport extends AccessExplanation {
  /**
   * One per configured provider; null when no provider checked the token, or a server that does not report it
   * did.
   */
  readonly providers: readonly ProviderVerdict[] | null;
  /** Sentences about limits of the explanation. */
  readonly notes: readonly string[];
}
