import type { AccessExplanation } from '@portolan/authorization';

/** Verdict of one provider on the token, without the content of the token. */
export interface ProviderVerdict {
  readonly provider: string;
  readonly issuer: string;
  readonly accepted: boolean;
  readonly because: string;
}

/** The complete explanation, as `--format json` prints it. */
export interface AccessReport extends AccessExplanation {
  /**
   * Verdicts of all configured providers; null when no provider checked the token, or when a server explains it.
   */
  readonly providers: readonly ProviderVerdict[] | null;
  readonly notes: readonly string[];
}
