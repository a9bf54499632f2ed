import { isJsonObject, type JsonObject } from '@portolan/plugin-api';

/** Response of a token, device authorization or revocation endpoint (RFC 6749, section 5). */
export interface TokenResponse {
  readonly status: number;
  /** Error code; undefined when the response has a token. */
  readonly error: string | undefined;
  readonly document: JsonObject | undefined;
}

/** Token types that mean a bearer token: those of Slack name the owner, Apigee has its own word. */
const BEARER_TYPES: ReadonlySet<string> = new Set(['', 'user', 'bot', 'bearertoken']);

/**
 * Parses the response of a token endpoint; the only parser of such responses. Accepts deviations from RFC
 * 6749: an error with status 200 (GitHub, Slack), a token below `authed_user` and `token_type` `user` or
 * `bot` (Slack), no `token_type` (Atlassian), `expires_in` as a string (Entra), `scope` as a list (Linear),
 * null members, another success status than 200, and a form instead of JSON.
 */
export function readTokenResponse(status: number, text: string): TokenResponse {
  const body = parseBody(text);
  if (body === undefined) return { status, error: undefined, document: undefined };
  const owned = body['authed_user'];
  const hasToken = isText(body['access_token']);
  const isNested = !hasToken && isJsonObject(owned) && isText(owned['access_token']);
  const error = hasToken || isNested ? undefined : errorCodeIn(body);
  const document = normalize(isNested ? { ...body, ...owned } : body);
  return { status, error, document: error === undefined ? document : { ...document, error } };
}

/**
 * Returns a `fetch` with responses in the form of RFC 6749. An error with a success status becomes a 400.
 * Removes challenges, which the library would use instead of the error code.
 */
export function fetchTokenResponses(
  fetch: typeof globalThis.fetch,
  { ignoresIdToken = false }: { readonly ignoresIdToken?: boolean } = {},
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const text = await response.text();
    const { status, error, document } = readTokenResponse(response.status, text);
    const headers = new Headers(response.headers);
    for (const name of ['www-authenticate', 'content-length', 'content-encoding']) headers.delete(name);
    if (document !== undefined) headers.set('content-type', 'application/json');
    const { id_token: idToken, ...rest } = document ?? {};
    const shown = ignoresIdToken || idToken === undefined ? rest : { ...rest, id_token: idToken };
    const body = document === undefined ? text : JSON.stringify(shown);
    const isSuccess = status >= 200 && status < 300;
    const sent = !isSuccess ? status : error === undefined ? 200 : 400;
    return new Response(sent === 304 ? null : body, { status: sent, headers });
  };
}

/** Returns the server's explanation of a refusal, printable and without `secrets`. */
export function explanationIn(
  document: JsonObject,
  secrets: readonly (string | undefined)[] = [],
): string | undefined {
  const names = ['error_description', 'errorSummary', 'message', 'detail', 'title'];
  const text = names.map((name) => document[name]).find(isText);
  if (text === undefined || text === '') return undefined;
  const isLeaky = secrets.some((secret) => secret !== undefined && text.includes(secret));
  return isLeaky ? undefined : text.replaceAll(/[^ -~]+/g, '?').slice(0, MAX_EXPLANATION_LENGTH);
}

const MAX_EXPLANATION_LENGTH = 200;

function parseBody(text: string): JsonObject | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? body : undefined;
  } catch {
    // GitHub sends a form to clients that, in its view, cannot parse JSON.
    if (!/^\w+=[^\s<>"{}]*$/.test(text)) return undefined;
    const form = new URLSearchParams(text);
    return form.has('access_token') || form.has('error') ? Object.fromEntries(form) : undefined;
  }
}

/** Returns the error code: a string, or a member of an object (`{"error":{"code":"…"}}`). */
function errorCodeIn({ error }: JsonObject): string | undefined {
  const codes = isJsonObject(error) ? [error['code'], error['type'], error['status']] : [error];
  return codes.find((code): code is string => isText(code) && code !== '');
}

function normalize(body: JsonObject): Record<string, unknown> {
  const document: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(document)) if (value === null) delete document[name];
  for (const name of ['refresh_token', 'id_token']) if (document[name] === '') delete document[name];
  for (const name of ['expires_in', 'interval']) {
    const number = readNumber(document[name]);
    if (number === undefined) delete document[name];
    else document[name] = number;
  }
  if (Array.isArray(document['scope'])) document['scope'] = document['scope'].filter(isText).join(' ');
  if (document['access_token'] !== undefined) {
    const type = document['token_type'] ?? '';
    if (isText(type) && BEARER_TYPES.has(type.toLowerCase())) document['token_type'] = 'Bearer';
  }
  if (document['device_code'] !== undefined) {
    // Google calls this field `verification_url`.
    document['verification_uri'] ??= document['verification_url'];
    if (document['interval'] === 0) delete document['interval'];
  }
  return document;
}

function readNumber(value: unknown): number | undefined {
  if (isText(value)) return /^\s*\d{1,15}(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
  return typeof value === 'number' ? value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
