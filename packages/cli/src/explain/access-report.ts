import type { AccessExplanation } from '@portolan/authorization';

/** Result of one auth provider for the token, without the content of the token. */
export interface ProviderVerdict {
  readonly provider: string;
  readonly issuer: string;
  readonly accepted: boolean;
  readonly because: string;
}

/** The complete explanation, as `--format json` prints it. */
export interface AccessReport extends AccessExplanation {
  /**
   * Results of all configured auth providers. Null when no provider checked the token, or when a server
   * explains the request.
   */
  readonly providers: readonly ProviderVerdict[] | null;
  readonly notes: readonly string[];
}
