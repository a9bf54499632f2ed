import type { ProxyOptions } from '@portolan/proxy';
import type { WorkloadContext } from '../workload-context.ts';

type RemoteLogin = NonNullable<ProxyOptions['remoteLogin']>;

const TIMEOUT_MS = 20_000;

/**
 * Finds the authorization servers and scopes of a remote server, for clients that log in themselves. A remote
 * server without resource metadata is its own authorization server if it has authorization metadata or
 * rejected a request (protocol revision 2025-03-26). Otherwise returns undefined. Throws ERR_LOGIN_DISCOVERY
 * and ERR_LOGIN_UNTRUSTED.
 */
export async function findRemoteLogin(
  remote: URL,
  { metadataUrl, wasRefused }: Parameters<RemoteLogin['find']>[0],
  { environment, openFetch }: Pick<WorkloadContext, 'environment' | 'openFetch'>,
): ReturnType<RemoteLogin['find']> {
  const { findAuthorizationServer, findProtectedResource, OauthWeb } = await import('@portolan/oauth-client');
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const web = await OauthWeb.open({ named: [remote.href], openFetch, environment });
  try {
    const resource = await findProtectedResource(remote, metadataUrl, web, signal);
    const { authorizationServers = [], scopes = [] } = resource ?? {};
    if (authorizationServers.length > 0) return { authorizationServers, scopes };
    const isOwnServer =
      wasRefused || (await findAuthorizationServer(remote.origin, web, signal)) !== undefined;
    return isOwnServer ? { authorizationServers: [remote.origin], scopes } : undefined;
  } finally {
    await web.close();
  }
}
