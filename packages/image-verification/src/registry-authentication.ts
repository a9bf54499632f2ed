import { askDocument, type DocumentResponse, faultIn, reasonIn } from '@portolan/outbound';
import type { RegistryCredentials } from '@portolan/plugin-api';
import { readJson, textMember, textOf } from '@portolan/run-spec';
import { isLoopbackRegistry } from './image-location.ts';

/** Challenge of a registry (RFC 9110, section 11.6.1), in the forms of the distribution project. */
export type Challenge =
  | { readonly scheme: 'basic' }
  | {
      readonly scheme: 'bearer';
      readonly realm: string;
      readonly service: string | undefined;
      readonly scope: string | undefined;
    };

export function parseChallenge(header: string | null): Challenge | undefined {
  if (header === null) return undefined;
  const bearer = /(?:^|,\s*)bearer\s+(.*)$/is.exec(header)?.[1];
  if (bearer === undefined) return /(?:^|,\s*)basic(?:\s|$)/i.test(header) ? { scheme: 'basic' } : undefined;
  const parameters = new Map(
    [...bearer.matchAll(/([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi)].map(
      ([, name = '', quoted, plain]) => [
        name.toLowerCase(),
        quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '',
      ],
    ),
  );
  const realm = parameters.get('realm');
  if (realm === undefined) return undefined;
  return { scheme: 'bearer', realm, service: parameters.get('service'), scope: parameters.get('scope') };
}

export interface TokenRequest {
  readonly fetch: typeof globalThis.fetch;
  readonly host: string;
  readonly repository: string;
  readonly credentials: RegistryCredentials | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Milliseconds for one response of a registry or its token service. */
export const REGISTRY_TIMEOUT_MS = 30_000;
/** Maximum bytes of a token response, whose token must fit into a header. */
const MAX_BYTES = 1024 * 1024;

/**
 * Returns the `Authorization` for a challenge; undefined without credentials. Fetches bearer tokens with the
 * password, the identity token, or anonymously. Throws an Error without what was sent.
 */
export async function answerChallenge(
  challenge: Challenge,
  request: TokenRequest,
): Promise<string | undefined> {
  const { credentials, host, repository } = request;
  if (challenge.scheme === 'basic') {
    return credentials !== undefined && 'username' in credentials ? basic(credentials) : undefined;
  }
  const realm = URL.parse(challenge.realm);
  const isSafe =
    realm?.protocol === 'https:' ||
    (realm?.protocol === 'http:' && isLoopbackRegistry(realm.host) && isLoopbackRegistry(host));
  if (realm === null || !isSafe) throw new Error('its token endpoint does not use https');
  const scope = challenge.scope ?? `repository:${repository}:pull`;
  const fields = { ...(challenge.service === undefined ? {} : { service: challenge.service }), scope };
  const { status, bytes } = await askForToken(realm, fields, request);
  if (status < 200 || status > 299) throw new Error(`it issues no token (${realm.host}: status ${status})`);
  const reading = readJson(bytes.toString('utf8'));
  const value = 'value' in reading ? reading.value : undefined;
  const token = textMember(value, 'token') ?? textMember(value, 'access_token');
  if (token === undefined) throw new Error(`it issues no token (${realm.host} answers without one)`);
  return `Bearer ${token}`;
}

/** A redirect counts as a response without a token. */
async function askForToken(
  realm: URL,
  fields: Readonly<Record<string, string>>,
  { credentials, fetch, signal }: TokenRequest,
): Promise<DocumentResponse> {
  const limits = { fetch, timeoutMs: REGISTRY_TIMEOUT_MS, maxBytes: MAX_BYTES, signal };
  try {
    if (credentials === undefined || !('identityToken' in credentials)) {
      const authorize = (): string | undefined =>
        credentials === undefined ? undefined : basic(credentials);
      return await askDocument(withQuery(realm, fields), { ...limits, authorize });
    }
    return await askDocument(realm, {
      ...limits,
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'portolan',
        refresh_token: credentials.identityToken,
        ...fields,
      }).toString(),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(reasonOf(error), { cause: error });
  }
}

export function reasonOf(error: unknown): string {
  const kind = faultIn(error)?.kind;
  if (kind === 'time') return `it did not answer within ${REGISTRY_TIMEOUT_MS / 1000} s`;
  if (kind === 'size') return `it answers with more than ${MAX_BYTES} bytes`;
  return textOf(reasonIn(error));
}

function withQuery(realm: URL, fields: Readonly<Record<string, string>>): URL {
  const url = new URL(realm);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url;
}

function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
