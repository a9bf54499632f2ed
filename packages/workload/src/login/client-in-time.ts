import { endsSoon, type DiscoveredLogin, type OauthWeb, renewClient } from '@portolan/oauth-client';
import { isPortolanError } from '@portolan/plugin-api';
import type { StoredLogin } from '@portolan/run-spec';
import { storeSecrets } from '../secrets/store-secrets.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { redirectUriOf, registeredBefore } from './login-client.ts';
import type { SecretsByName } from './remote-secrets.ts';
import { withRenewedClient } from './stored-login.ts';

const MAX_MS = 30_000;

export interface EarlierLogin {
  readonly login: StoredLogin | undefined;
  readonly secrets: SecretsByName;
}

/**
 * Returns an earlier login whose client secret does not expire soon. If the secret expires soon, renews the
 * client at its authorization server (RFC 7592, section 2.2) and stores the result. If the renewal fails,
 * returns the login unchanged, because the old secret may still be valid.
 */
export async function withClientInTime(
  { login, secrets }: EarlierLogin,
  { server }: Pick<DiscoveredLogin, 'server'>,
  work: { readonly workload: string; readonly context: WorkloadContext; readonly web: OauthWeb },
  signal: AbortSignal,
): Promise<EarlierLogin> {
  const { workload, context, web } = work;
  const client = registeredBefore(login, server.issuer, secrets);
  const before = { login, secrets };
  if (login === undefined || client?.management === undefined) return before;
  if (!endsSoon(client, context.clock())) return before;
  signal.throwIfAborted();
  // From here on the server may have invalidated the old secret, so an abort must wait until the new one is
  // stored.
  const ownSignal = AbortSignal.timeout(MAX_MS);
  try {
    const request = { redirectUri: redirectUriOf(login), scopes: login.scopes, usesDevice: false };
    const renewed = withRenewedClient(
      login,
      await renewClient(server, client, request, web, ownSignal),
      workload,
    );
    await storeSecrets(renewed.secrets, context, { scope: 'workloads', signal: ownSignal });
    const values = renewed.secrets.map(({ name, value }) => [name, value]);
    return { login: renewed.login, secrets: { ...secrets, ...Object.fromEntries(values) } };
  } catch (error) {
    if (!isPortolanError(error) || error.code !== 'ERR_LOGIN_REGISTRATION') throw error;
    context.logger.warn({ err: error, workload }, 'the registration of the client could not be renewed');
    return before;
  }
}
