import { remoteAuthOf, type RunConfig } from '@portolan/run-spec';

export interface LoginDescription {
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** User who logged in; undefined when the server does not say. */
  readonly subject: string | undefined;
  /** OAuth scopes that the server demanded but the login lacks. `portolan login` requests these too. */
  readonly missing_scopes: readonly string[];
  /** RFC 3339 time; undefined when the server does not say. */
  readonly expires_at: string | undefined;
}

export function describeLogin(
  config: Pick<RunConfig, 'remote_auth_config'>,
  missing: readonly string[] = [],
): LoginDescription | undefined {
  const { login } = remoteAuthOf(config);
  // A login that another tool stored has no issuer until Portolan first uses it.
  if (login?.issuer === undefined) return undefined;
  const { issuer, scopes = [], subject, expiresAt } = login;
  return { issuer, scopes, subject, missing_scopes: missing, expires_at: expiresAt };
}
