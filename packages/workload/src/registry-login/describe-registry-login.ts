import { readLoginTokens } from './login-tokens.ts';
import type { RegistryLoginContext } from './login-access.ts';
import { notLoggedIn } from './registry-login-errors.ts';
import { findRegistryLogin } from './registry-logins.ts';

/** Login to a registry as `whoami` shows it, without secrets. */
export interface RegistryLoginDescription {
  readonly registry: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** Expiry of the token as RFC 3339 time; null when the issuer does not say. */
  readonly expires_at: string | null;
  readonly renewable: boolean;
}

/**
 * Returns the login that applies to a registry. Throws ERR_REGISTRY_NOT_LOGGED_IN, and what the secret store
 * throws.
 */
export async function describeRegistryLogin(
  registry: URL,
  context: RegistryLoginContext,
  signal: AbortSignal,
): Promise<RegistryLoginDescription> {
  const login = await findRegistryLogin(registry, context.directories);
  const tokens = login === undefined ? undefined : await readLoginTokens(login.address, context, signal);
  if (login === undefined || tokens === undefined) throw notLoggedIn(registry.href.replace(/\/$/, ''));
  const { address, issuer, scopes } = login;
  return {
    registry: address,
    issuer,
    scopes,
    expires_at: tokens.expiresAt ?? null,
    renewable: tokens.refreshToken !== undefined,
  };
}
