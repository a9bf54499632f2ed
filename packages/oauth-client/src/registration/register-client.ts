import { reasonIn } from '@portolan/outbound';
import { isJsonObject, type JsonObject } from '@portolan/plugin-api';
import type { AuthorizationServer } from '../discovery/find-authorization-server.ts';
import { registrationFailed } from '../errors.ts';
import { offersDeviceFlow } from '../login/device-flow.ts';
import { explanationIn } from '../tokens/token-response.ts';
import { findAddressFault, isLoopback } from '../web/find-address-fault.ts';
import type { OauthWeb } from '../web/oauth-web.ts';
import { textsOf } from '../web/texts-of.ts';
import type { OauthClient } from './oauth-client.ts';

/** Registered client (RFC 7591, section 3.2.1). */
export interface RegisteredClient extends OauthClient {
  /** Expiry of the secret. Undefined when neither secret nor client expires. */
  readonly secretExpiresAt: Date | undefined;
  /** Access to manage the registration (RFC 7592). */
  readonly management: { readonly url: string; readonly token: string } | undefined;
}

export interface RegistrationRequest {
  readonly redirectUri: string;
  readonly scopes: readonly string[] | undefined;
  /** Whether users log in on another device (RFC 8628). */
  readonly usesDevice: boolean;
}

/**
 * Registers Portolan as a native application (RFC 7591, RFC 8252), with the device flow if supported. Retries
 * without optional scopes or grants. Throws ERR_LOGIN_REGISTRATION.
 */
export async function registerClient(
  server: AuthorizationServer,
  request: RegistrationRequest,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<RegisteredClient> {
  const endpoint = server.metadata.registration_endpoint;
  if (endpoint === undefined) throw registrationFailed(`${server.issuer} registers none by itself`);
  const document = await ask(server, request, (metadata) =>
    post('POST', endpoint, undefined, metadata, web, signal),
  );
  const client = readRegistration(document, undefined);
  if (!isFor(document['redirect_uris'], request.redirectUri)) {
    await unregisterClient(client, web, signal);
    throw registrationFailed('the server has registered it for other redirect addresses than were asked for');
  }
  return client;
}

/**
 * Returns whether a registered redirect address matches ours. Ignores the loopback port (RFC 8252, section
 * 7.3).
 */
function isFor(registered: unknown, redirectUri: string): boolean {
  if (!Array.isArray(registered) || registered.length === 0) return true;
  const requested = new URL(redirectUri);
  return textsOf(registered).some((text) => {
    const url = URL.parse(text);
    return url !== null && url.protocol === 'http:' && isLoopback(url) && url.pathname === requested.pathname;
  });
}

export function endsSoon({ secretExpiresAt }: Pick<RegisteredClient, 'secretExpiresAt'>, now: Date): boolean {
  return secretExpiresAt !== undefined && secretExpiresAt.getTime() <= now.getTime() + DAY_MS;
}

const DAY_MS = 24 * 3600_000;

/** Gets a new secret when the old one expires soon (RFC 7592, section 2.2). Throws ERR_LOGIN_REGISTRATION. */
export async function renewClient(
  server: AuthorizationServer,
  client: RegisteredClient,
  request: RegistrationRequest,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<RegisteredClient> {
  const { management, clientId, clientSecret } = client;
  if (management === undefined)
    throw registrationFailed(`${server.issuer} gave nothing to look after it with`);
  const own = {
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  };
  const document = await ask(
    server,
    request,
    (metadata) => post('PUT', management.url, management.token, { ...metadata, ...own }, web, signal),
    [clientSecret, management.token],
  );
  const renewed = readRegistration(document, client);
  if (renewed.clientId !== clientId) throw registrationFailed('the server answers for another client');
  return renewed;
}

/** Deletes a registration (RFC 7592, section 2.3). Returns whether it succeeded. */
export async function unregisterClient(
  { management }: Pick<RegisteredClient, 'management'>,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<boolean> {
  if (management === undefined || findAddressFault(management.url) !== undefined) return false;
  const headers = { authorization: `Bearer ${management.token}`, accept: 'application/json' };
  try {
    const { status } = await web.ask(new URL(management.url), { method: 'DELETE', headers }, signal);
    return status >= 200 && status < 300;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

async function ask(
  server: AuthorizationServer,
  request: RegistrationRequest,
  send: (metadata: JsonObject) => Promise<Sent>,
  secrets: readonly (string | undefined)[] = [],
): Promise<JsonObject> {
  let sent = await send(metadataOf(server, request, offersDeviceFlow(server)));
  for (const less of lesserOf(server, request)) {
    if (sent.document?.['error'] !== 'invalid_client_metadata') break;
    sent = await send(less);
  }
  return documentIn(sent, secrets);
}

function* lesserOf(server: AuthorizationServer, request: RegistrationRequest): Iterable<JsonObject> {
  const offersDevice = offersDeviceFlow(server);
  const withoutScopes = { ...request, scopes: undefined };
  if (request.scopes !== undefined) yield metadataOf(server, withoutScopes, offersDevice);
  if (offersDevice && !request.usesDevice) yield metadataOf(server, withoutScopes, false);
}

function metadataOf(
  { metadata }: AuthorizationServer,
  { redirectUri, scopes }: RegistrationRequest,
  takesDevice: boolean,
): JsonObject {
  const offered = textsOf(metadata['token_endpoint_auth_methods_supported']);
  const method = offered.length === 0 || offered.includes('none') ? 'none' : offered.find(isKnown);
  if (method === undefined)
    throw registrationFailed('the server offers no way in which a client can prove itself here');
  return {
    client_name: 'Portolan MCP Client',
    application_type: 'native',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token', ...(takesDevice ? [DEVICE_GRANT] : [])],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
  };
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

function isKnown(method: string): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post';
}

async function post(
  method: 'POST' | 'PUT',
  address: string,
  token: string | undefined,
  metadata: JsonObject,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<Sent> {
  const fault = findAddressFault(address);
  if (fault !== undefined) throw registrationFailed(`the address of the registration ${fault}`);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  try {
    const { status, bytes } = await web.ask(
      new URL(address),
      { method, headers, body: JSON.stringify(metadata) },
      signal,
    );
    return { status, document: readJson(bytes) };
  } catch (error) {
    signal.throwIfAborted();
    throw registrationFailed(reasonIn(error), error);
  }
}

interface Sent {
  readonly status: number;
  readonly document: JsonObject | undefined;
}

/** Returns the JSON document of a response. Errors never show `secrets`, even if the server repeats them. */
function documentIn({ status, document }: Sent, secrets: readonly (string | undefined)[]): JsonObject {
  const { error, errorCode, client_id: clientId } = document ?? {};
  const codes = [error, errorCode].filter((each) => typeof each === 'string');
  const isRefusal = status < 200 || status > 299 || (clientId === undefined && codes.length > 0);
  if (isRefusal) {
    const [code] = codes.map((each) => `, ${JSON.stringify(each.replaceAll(/[^ -~]+/g, '?').slice(0, 100))}`);
    const text = document === undefined ? undefined : explanationIn(document, secrets);
    const explained = text === undefined ? '' : `: ${text.replace(/\.$/, '')}`;
    throw registrationFailed(`the server answers with ${status}${code ?? ''}${explained}`);
  }
  if (document === undefined)
    throw registrationFailed('the server answers with something that is no JSON object');
  return document;
}

function readRegistration(document: JsonObject, before: RegisteredClient | undefined): RegisteredClient {
  const { client_id: clientId, client_secret: secret, client_secret_expires_at: expires } = document;
  if (typeof clientId !== 'string' || !isPlain(clientId))
    throw registrationFailed('the server names no client id');
  if (secret !== undefined && (typeof secret !== 'string' || !isPlain(secret))) {
    throw registrationFailed('the secret that the server gives is no text');
  }
  const method = document['token_endpoint_auth_method'];
  return {
    clientId,
    clientSecret: secret ?? before?.clientSecret,
    authMethod: typeof method === 'string' ? method : before?.authMethod,
    secretExpiresAt: endIn(expires, secret === undefined ? before?.secretExpiresAt : undefined),
    management: managementOf(document) ?? before?.management,
  };
}

/** Returns the expiry of the secret. A response without a secret and an expiry keeps the previous expiry. */
function endIn(expires: unknown, before: Date | undefined): Date | undefined {
  if (typeof expires !== 'number') return before;
  return expires > 0 ? new Date(expires * 1000) : undefined;
}

function managementOf(document: JsonObject): RegisteredClient['management'] {
  const { registration_client_uri: url, registration_access_token: token } = document;
  const isWhole = typeof url === 'string' && typeof token === 'string' && isPlain(token);
  return isWhole && findAddressFault(url) === undefined ? { url, token } : undefined;
}

function isPlain(text: string): boolean {
  return /^[ -~]{1,8192}$/.test(text);
}

function readJson(bytes: Buffer): JsonObject | undefined {
  try {
    const document: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(document) ? document : undefined;
  } catch {
    return undefined;
  }
}
