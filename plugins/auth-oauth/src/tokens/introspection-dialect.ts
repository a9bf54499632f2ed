import { isJsonObject, type JsonObject, textOf } from '../json.ts';

export interface Client {
  readonly id: string | undefined;
  readonly secret: string | undefined;
  /** Token that authenticates this server when it has no client secret. */
  readonly bearer?: string | undefined;
}

export interface IntrospectionRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type IntrospectionResult = JsonObject | 'inactive' | 'unclear';

export interface IntrospectionDialect {
  request(url: string, token: string, client: Client): IntrospectionRequest;
  read(status: number, document: unknown): IntrospectionResult;
}

/** Returns how an endpoint is requested: by RFC 7662, except for two known endpoints. */
export function dialectOf(url: string): IntrospectionDialect {
  const { hostname, pathname } = new URL(url);
  if (asksGoogle(url)) return googleDialect;
  if (hostname === 'api.github.com' && /^\/applications\/[^/]+\/token$/.test(pathname)) return githubDialect;
  return standardDialect;
}

export function asksGoogle(url: string): boolean {
  const { hostname, pathname } = new URL(url);
  return /^(?:oauth2|www)\.googleapis\.com$/.test(hostname) && pathname.endsWith('/tokeninfo');
}

const standardDialect: IntrospectionDialect = {
  request: (url, token, client) => ({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...proof(client, formEncode) },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
  }),
  read(status, document) {
    if (status !== 200 || !isJsonObject(document) || typeof document['active'] !== 'boolean')
      return 'unclear';
    const { active, ...claims } = document;
    return active ? claims : 'inactive';
  },
};

/**
 * Dialect of Google's endpoint: it returns no `active` and no `iss`, numbers as text, and 400 for an invalid
 * token.
 */
const googleDialect: IntrospectionDialect = {
  request(url, token) {
    const target = new URL(url);
    target.searchParams.set('access_token', token);
    return { url: target.href, method: 'GET', headers: {} };
  },
  read(status, document) {
    if (status === 400 || status === 401) return 'inactive';
    if (status !== 200 || !isJsonObject(document)) return 'unclear';
    const exp = Number(document['exp']);
    return { ...document, exp: textOf(document['exp']) === undefined ? document['exp'] : exp };
  },
};

/** "Check a token" of GitHub's API: the audience is the application. */
const githubDialect: IntrospectionDialect = {
  request: (url, token, client) => ({
    url,
    method: 'POST',
    headers: {
      accept: 'application/vnd.github+json',
      'content-type': 'application/json',
      'user-agent': 'portolan',
      ...proof(client, (text) => text),
    },
    body: JSON.stringify({ access_token: token }),
  }),
  read(status, document) {
    if (status === 404 || status === 422) return 'inactive';
    if (status !== 200 || !isJsonObject(document)) return 'unclear';
    const { user, app, scopes, expires_at: expires } = document;
    if (!isJsonObject(user) || !isJsonObject(app) || typeof user['id'] !== 'number') return 'unclear';
    return {
      sub: String(user['id']),
      aud: app['client_id'],
      preferred_username: user['login'],
      ...(textOf(user['name']) === undefined ? {} : { name: user['name'] }),
      ...(textOf(user['email']) === undefined ? {} : { email: user['email'] }),
      ...(Array.isArray(scopes) ? { scope: scopes.join(' ') } : {}),
      ...(typeof expires === 'string' ? { exp: Date.parse(expires) / 1000 } : {}),
    };
  },
};

/** Returns the HTTP Basic credentials when id and secret are both configured. An id alone proves nothing. */
function proof(
  { id, secret, bearer }: Client,
  encode: (text: string) => string,
): Readonly<Record<string, string>> {
  if (id === undefined || secret === undefined) {
    return bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  }
  const credential = Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64');
  return { authorization: `Basic ${credential}` };
}

/** Form-encodes a text. Id and secret are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
