import { remoteAuthOf, type RunConfig } from '@portolan/run-spec';

/** A login as `login` and `status` show it. */
export interface LoginDescription {
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** Who has logged in; undefined where the server does not say. */
  readonly subject: string | undefined;
  /** Scopes that requests were refused for the lack of; `portolan login` asks for them. */
  readonly missing_scopes: readonly string[];
  /** RFC 3339; undefined where the server does not say. */
  readonly expires_at: string | undefined;
}

/** The login of a run config; undefined where there is none. */
export function describeLogin(
  config: Pick<RunConfig, 'remote_auth_config'>,
  missing: readonly string[] = [],
): LoginDescription | undefined {
  const { login } = remoteAuthOf(config);
  // Of a file of another tool nobody knows yet who is logged in where.
  if (login?.issuer === undefined) return undefined;
  const { issuer, scopes = [], subject, expiresAt } = login;
  return { issuer, scopes, subject, missing_scopes: missing, expires_at: expiresAt };
}
