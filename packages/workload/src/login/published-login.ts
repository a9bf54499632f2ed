import { isSubpath } from '@portolan/outbound';
import { quote, type RemoteAuth } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';

/**
 * Login settings from a registry entry or a configuration file, and the URL of the remote server for which
 * they were published.
 */
export interface PublishedLogin {
  readonly auth: Pick<RemoteAuth, 'issuer' | 'authorizeUrl' | 'tokenUrl' | 'resource' | 'extra'>;
  readonly remoteUrl: string;
  /** Author of the settings in error messages, such as "The entry acme/notes". */
  readonly author: string;
}

/**
 * Checks that published settings cannot redirect a login. The token must be for the remote's own address (RFC
 * 8707). Authorization and token endpoint must belong to one issuer: all named addresses share one origin, or
 * the issuer's metadata names both endpoints. Throws ERR_LOGIN_UNTRUSTED, and ERR_LOGIN_DISCOVERY when the
 * metadata is unreadable.
 */
export async function checkPublishedLogin(
  published: PublishedLogin,
  { environment, openFetch }: Pick<WorkloadContext, 'environment' | 'openFetch'>,
  signal: AbortSignal,
): Promise<void> {
  const { auth, author } = published;
  const { issuer, authorizeUrl, tokenUrl, resource, extra } = auth;
  const audiences = [resource, extra['audience'], extra['resource']].filter((one) => one !== undefined);
  const endpoints = [authorizeUrl, tokenUrl].filter((one) => one !== undefined);
  if (audiences.length === 0 && endpoints.length === 0) return;
  const { discoveryRefused, findAuthorizationServer, OauthWeb } = await import('@portolan/oauth-client');
  const remote = new URL(published.remoteUrl);
  if (resource === '') {
    throw discoveryRefused(
      `${author} asks for a token without a resource, which only a user can do, with --remote-auth-resource ""`,
    );
  }
  const foreign = audiences.find((one) => !isOwnAddress(one, remote));
  if (foreign !== undefined) {
    throw discoveryRefused(
      `${author} asks for a token for ${quote(foreign)}, but its server is ${remote.href}`,
    );
  }
  const places = [...endpoints, ...(issuer === undefined ? [] : [issuer])];
  if (endpoints.length === 0 || new Set(places.map(originOf)).size === 1) return;
  const refusal = discoveryRefused(
    `${author} names ${endpoints.map((one) => quote(one)).join(' and ')}, which do not belong to one issuer`,
  );
  if (issuer === undefined) throw refusal;
  const web = await OauthWeb.open({ named: [remote.href], openFetch, environment });
  try {
    const server = await findAuthorizationServer(issuer, web, signal);
    const { authorization_endpoint: login, token_endpoint: token } = server?.metadata ?? {};
    const isNamed = (named: string | undefined, text: string | undefined): boolean =>
      named === undefined || named === text;
    if (!isNamed(authorizeUrl, login) || !isNamed(tokenUrl, token)) throw refusal;
  } finally {
    await web.close();
  }
}

/**
 * Returns whether a resource (RFC 8707) is the remote server's host, URL, or a parent path of the URL on the
 * same origin.
 */
function isOwnAddress(resource: string, remote: URL): boolean {
  if (resource === remote.host) return true;
  const url = URL.parse(resource);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return isSubpath(remote, url) && (url.search === '' || url.search === remote.search);
}

function originOf(address: string): string {
  return URL.parse(address)?.origin ?? address;
}
