import path from 'node:path';
import type { FlagRow } from '../flag-row.ts';
import { isLoopbackHost } from '../../parse/loopback-host.ts';
import { checkPort } from '../check-setting.ts';
import { badSetting } from '../settings-errors.ts';

/** How a workload proves itself to a remote server. */
export const REMOTE_AUTH_FLAGS = {
  remoteAuth: {
    flag: 'remote-auth',
    is: 'truth',
    group: 'REMOTE SERVER',
    description: 'log in to the remote server (OAuth) also where nobody is at a terminal; =false: never',
    fallback: 'false',
    only: 'remote',
    field: 'remote_auth_config.enabled',
    setting: { default: undefined, planned: 'remote_auth_config.enabled' },
  },
  remoteCredentials: {
    flag: 'remote-credentials',
    is: 'text',
    group: 'REMOTE SERVER',
    description: 'kind of outgoing credentials of a plugin that proves who asks, instead of a login',
    fallback: 'oauth',
    helpValue: 'KIND',
    only: 'remote',
    field: 'remote_credentials.type',
    setting: { default: undefined, check: checkWord, planned: 'remote_credentials.type' },
  },
  remoteAuthIssuer: {
    flag: 'remote-auth-issuer',
    is: 'text',
    group: 'REMOTE SERVER',
    description: 'issuer of the authorization server; without it, what the remote server says',
    helpValue: 'URL',
    only: 'remote',
    field: 'remote_auth_config.issuer',
    setting: { default: undefined, check: checkEndpoint },
  },
  remoteAuthAuthorizeUrl: {
    flag: 'remote-auth-authorize-url',
    is: 'text',
    group: 'REMOTE SERVER',
    description: 'authorization endpoint, of a server without metadata',
    helpValue: 'URL',
    only: 'remote',
    field: 'remote_auth_config.authorize_url',
    setting: { default: undefined, check: checkEndpoint },
  },
  remoteAuthTokenUrl: {
    flag: 'remote-auth-token-url',
    is: 'text',
    group: 'REMOTE SERVER',
    description: 'token endpoint, of a server without metadata',
    helpValue: 'URL',
    only: 'remote',
    field: 'remote_auth_config.token_url',
    setting: { default: undefined, check: checkEndpoint },
  },
  remoteAuthClientId: {
    flag: 'remote-auth-client-id',
    is: 'text',
    group: 'REMOTE SERVER',
    description: 'id of a client; without it one is registered (RFC 7591)',
    helpValue: 'ID',
    only: 'remote',
    field: 'remote_auth_config.client_id',
    setting: { default: undefined, check: checkWord },
  },
  remoteAuthClientSecret: {
    flag: 'remote-auth-client-secret',
    is: 'text',
    group: 'REMOTE SERVER',
    description: 'secret of that client, or NAME,target=TARGET of one in the secret store',
    helpValue: 'SECRET',
    only: 'remote',
    field: 'remote_auth_config.client_secret',
  },
  remoteAuthClientSecretFile: {
    flag: 'remote-auth-client-secret-file',
    is: 'text',
    group: 'REMOTE SERVER',
    description: 'file with the secret of that client',
    helpValue: 'FILE',
    only: 'remote',
    field: 'remote_auth_config.client_secret_file',
    setting: { default: undefined, check: wholePath },
  },
  remoteAuthBearerToken: {
    flag: 'remote-auth-bearer-token',
    is: 'text',
    group: 'REMOTE SERVER',
    description: 'token to send to the remote server instead of a login, or NAME,target=TARGET',
    helpValue: 'TOKEN',
    only: 'remote',
    field: 'remote_auth_config.bearer_token',
  },
  remoteAuthBearerTokenFile: {
    flag: 'remote-auth-bearer-token-file',
    is: 'text',
    group: 'REMOTE SERVER',
    description: 'file with that token, read at each start',
    helpValue: 'FILE',
    only: 'remote',
    field: 'remote_auth_config.bearer_token_file',
    setting: { default: undefined, check: wholePath },
  },
  remoteAuthScopes: {
    flag: 'remote-auth-scopes',
    is: 'list',
    group: 'REMOTE SERVER',
    description: 'scopes to ask for; where the remote server names some and this flag none, those',
    fallback: 'openid,profile,email',
    helpValue: 'SCOPE,SCOPE',
    only: 'remote',
    field: 'remote_auth_config.scopes',
    setting: { default: undefined, check: (list, place) => list.map((scope) => checkWord(scope, place)) },
  },
  remoteAuthScopeParamName: {
    flag: 'remote-auth-scope-param-name',
    is: 'text',
    group: 'REMOTE SERVER',
    description: 'query parameter for the scopes in the address of the login, instead of scope',
    helpValue: 'NAME',
    only: 'remote',
    field: 'remote_auth_config.scope_param_name',
    setting: { default: undefined, check: checkWord },
  },
  remoteAuthResource: {
    flag: 'remote-auth-resource',
    is: 'text',
    group: 'REMOTE SERVER',
    description: 'resource that tokens are asked for (RFC 8707), instead of the remote server',
    helpValue: 'URI',
    only: 'remote',
    field: 'remote_auth_config.resource',
    setting: { default: undefined, check: checkResource },
  },
  remoteAuthCallbackPort: {
    flag: 'remote-auth-callback-port',
    is: 'integer',
    group: 'REMOTE SERVER',
    description: 'port of this machine that the browser comes back to',
    fallback: '8666',
    helpValue: 'PORT',
    only: 'remote',
    field: 'remote_auth_config.callback_port',
    setting: { default: undefined, check: checkCallbackPort },
  },
  remoteAuthSkipBrowser: {
    flag: 'remote-auth-skip-browser',
    is: 'truth',
    group: 'REMOTE SERVER',
    description: 'open no browser: the address is only shown',
    fallback: 'false',
    only: 'remote',
    field: 'remote_auth_config.skip_browser',
    setting: { default: undefined },
  },
  remoteAuthTimeout: {
    flag: 'remote-auth-timeout',
    is: 'duration',
    group: 'REMOTE SERVER',
    description: 'how long the login is waited for at most; without it Enter adds 5 minutes; 0: 5 minutes',
    fallback: '30s',
    helpValue: 'DURATION',
    only: 'remote',
    field: 'remote_auth_config.timeout',
    // As other writers have it: nanoseconds.
    setting: { default: undefined, check: checkTimeout },
  },
} as const satisfies Readonly<Record<string, FlagRow>>;

/** An address that codes, tokens or secrets go to: https, or http on this machine. Throws ERR_SETTING. */
function checkEndpoint(text: string, place: string): string {
  const url = URL.parse(text);
  // First, so that no password is shown.
  if (url !== null && (url.username !== '' || url.password !== '' || url.hash !== '')) {
    throw badSetting(place, url.origin, 'an address without user, password and fragment');
  }
  const isLocal = url?.protocol === 'http:' && isLoopbackHost(url.hostname);
  if (url === null || (url.protocol !== 'https:' && !isLocal)) {
    throw badSetting(place, text, 'an https address; http is for localhost, 127.0.0.1 and ::1');
  }
  return text;
}

/** RFC 8707, section 2. Throws ERR_SETTING. */
function checkResource(text: string, place: string): string {
  const url = URL.parse(text);
  if (url === null || url.host === '' || url.hash !== '' || text.includes('#')) {
    throw badSetting(place, text, 'an absolute URI with a host and without a fragment');
  }
  return text;
}

function checkWord(text: string, place: string): string {
  if (/^[!-~]{1,2048}$/.test(text)) return text;
  throw badSetting(place, text, 'printable characters without spaces');
}

/** Of the ports that programs of users may have. Throws ERR_SETTING. */
function checkCallbackPort(port: number, place: string): number {
  if (checkPort(port, place) >= 1024) return port;
  throw badSetting(place, String(port), 'a port from 1024 to 65535');
}

function checkTimeout(ms: number, place: string): number {
  if (ms >= 0) return ms * 1_000_000;
  throw badSetting(place, `${ms}ms`, 'a duration that is not negative');
}

function wholePath(file: string, _place: string, context: { readonly workingDirectory: string }): string {
  return path.resolve(context.workingDirectory, file);
}
