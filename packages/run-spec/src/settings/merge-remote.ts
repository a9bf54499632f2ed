import { memberOf } from '@portolan/plugin-api';
import { entryAuth } from './entry-auth.ts';
import { LOGIN_CREDENTIALS } from '../run-config/remote-credentials.ts';
import { settingsConflict } from './settings-errors.ts';
import { type KeyValue, parseForwardedHeader, parseForwardedHeaderSecret } from '../parse/key-value.ts';
import { parseSecretReference } from '../parse/secret-reference.ts';
import { isWholeInput } from '../registry-entry/entry-templates.ts';
import { flagRow, RUN_FLAG_NAMES, type RunFlags, typedFlag } from './run-flags.ts';
import type { RemoteSettings } from './merged-settings.ts';
import type { HeaderForward } from '../run-config/parts.ts';
import type { Setting } from './setting.ts';
import type { MergeInput } from './merge-input.ts';
import { mergePlainOfRemote, type PlainRemoteSettings } from './plain-settings.ts';

/** Flags for headers. They also fill headers of a registry entry whose server runs in a container. */
const HEADER_FLAGS: ReadonlySet<string> = new Set(['remoteForwardHeaders', 'remoteForwardHeadersSecret']);

/** Rejects flags for remote servers with a container. Throws ERR_SETTINGS_CONFLICT. */
export function refuseRemoteFlags({
  request: { flags },
  entry,
}: Pick<MergeInput, 'request' | 'entry'>): void {
  const hasHeaders = entry !== undefined && entry.server.headers.length > 0;
  const name = RUN_FLAG_NAMES.find(
    (one) =>
      flags[one] !== undefined && flagRow(one).only === 'remote' && !(hasHeaders && HEADER_FLAGS.has(one)),
  );
  if (name === undefined) return;
  throw settingsConflict(
    typedFlag(name),
    'a server in a container',
    'it is about remote servers, which a URL names',
  );
}

/** Merges the settings of a remote server. Throws ERR_SETTING. */
export function mergeRemote(input: MergeInput, url: URL): RemoteSettings {
  const { request, entry } = input;
  return {
    url: url.href,
    headers: mergeHeaders(input),
    auth: mergeAuth(input),
    // Login settings of the entry do not apply to other kinds of credentials.
    entryAuth: namesCredentials(request.flags) ? {} : entryAuth(entry?.server.oauthConfig, request.flags),
    clientSecret: request.flags.remoteAuthClientSecret,
    bearerToken: request.flags.remoteAuthBearerToken,
  };
}

/**
 * Merges headers of the flags and the entry. A flag replaces a header of the entry without regard to case.
 * Throws ERR_SETTING.
 */
export function mergeHeaders(input: Pick<MergeInput, 'request' | 'entry'>): Setting<HeaderForward> {
  const { request, entry } = input;
  const { remoteForwardHeaders: plain, remoteForwardHeadersSecret: secret } = request.flags;
  const { flagPlain, flagSecret } = parseHeaders(request.flags);
  const requests = givenHeaders(request.flags);
  const isFree = ({ key }: KeyValue): boolean => !requests.has(key.toLowerCase());
  const ofEntry = [...(entry?.filled.headers ?? [])].map(([key, value]) => ({ key, value }));
  const secretsOfEntry = [
    ...(entry?.filled.secretHeaders ?? []).map(({ target, name }) => ({ key: target, value: name })),
    ...givenByReference({ request, entry }),
  ];
  const isFlag = plain !== undefined || secret !== undefined;
  const isEntry = ofEntry.length + secretsOfEntry.length > 0;
  return {
    value: {
      add_plaintext_headers: toRecord([...ofEntry.filter(isFree), ...flagPlain]),
      add_headers_from_secret: toRecord([...secretsOfEntry.filter(isFree), ...flagSecret]),
    },
    from: isFlag ? 'flag' : isEntry ? 'registry' : 'default',
    by: isFlag ? '--remote-forward-headers' : isEntry ? 'the entry' : 'built in',
  };
}

/** Returns whether an input fills exactly one header value and no variable of the server. */
export function isHeaderInput(entry: MergeInput['entry'], name: string): boolean {
  return (
    entry?.server.headers.some(({ value }) => isWholeInput(value, name)) === true &&
    entry.server.variables.every((variable) => variable.name !== name)
  );
}

/** Merges the login settings. Throws ERR_SETTINGS_CONFLICT. */
function mergeAuth(input: MergeInput): PlainRemoteSettings {
  const { flags } = input.request;
  if (namesCredentials(flags)) refuseOtherProofs(flags);
  const pairs = [
    ['remoteAuthBearerToken', 'remoteAuthBearerTokenFile'],
    ['remoteAuthClientSecret', 'remoteAuthClientSecretFile'],
  ] as const;
  for (const [one, other] of pairs) {
    if (flags[one] !== undefined && flags[other] !== undefined) {
      throw settingsConflict(typedFlag(one), typedFlag(other), 'one of them counts');
    }
  }
  refuseOtherLogins(flags);
  requireClientOf(input);
  const { remoteAuthAuthorizeUrl: authorize, remoteAuthTokenUrl: token } = flags;
  if ((authorize === undefined) !== (token === undefined)) {
    const [named, missing] =
      token === undefined
        ? (['remoteAuthAuthorizeUrl', 'remoteAuthTokenUrl'] as const)
        : (['remoteAuthTokenUrl', 'remoteAuthAuthorizeUrl'] as const);
    throw settingsConflict(typedFlag(named), `no ${typedFlag(missing)}`, 'a server has both endpoints');
  }
  return mergePlainOfRemote(input);
}

/** Rejects other login flags next to a bearer token. Throws ERR_SETTINGS_CONFLICT. */
function refuseOtherLogins(flags: RunFlags): void {
  const token = BEARER.find((name) => flags[name] !== undefined);
  const login = OF_LOGINS.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (token === undefined || login === undefined) return;
  throw settingsConflict(typedFlag(token), typedFlag(login), 'nobody logs in where a token is given');
}

/** Rejects a client secret without a client ID. Throws ERR_SETTINGS_CONFLICT. */
function requireClientOf({ request: { flags }, entry }: MergeInput): void {
  const secret = CLIENT_SECRETS.find((name) => flags[name] !== undefined);
  const ofEntry = memberOf(entry?.server.oauthConfig, 'client_id');
  if (secret === undefined || flags.remoteAuthClientId !== undefined || typeof ofEntry === 'string') return;
  throw settingsConflict(
    typedFlag(secret),
    `no ${typedFlag('remoteAuthClientId')}`,
    'a secret is that of a client',
  );
}

const BEARER = ['remoteAuthBearerToken', 'remoteAuthBearerTokenFile'] as const;
const CLIENT_SECRETS = ['remoteAuthClientSecret', 'remoteAuthClientSecretFile'] as const;

function namesCredentials({ remoteCredentials: kind }: RunFlags): boolean {
  return kind !== undefined && kind !== LOGIN_CREDENTIALS;
}

/** Rejects flags for more than one kind of credentials. Throws ERR_SETTINGS_CONFLICT. */
function refuseOtherProofs(flags: RunFlags): void {
  const login = REMOTE_AUTH.find((name) => flags[name] !== undefined && flags[name] !== false);
  const other = login ?? (flags.tokenExchangeUrl === undefined ? undefined : 'tokenExchangeUrl');
  if (other === undefined) return;
  throw settingsConflict(
    typedFlag('remoteCredentials'),
    typedFlag(other),
    'each of them authenticates Portolan',
  );
}

const REMOTE_AUTH = RUN_FLAG_NAMES.filter((name) => flagRow(name).field.startsWith('remote_auth_config.'));

/**
 * Flags that only concern logins. `--remote-auth` is not among them, because it also requests other kinds of
 * credentials.
 */
const OF_LOGINS = REMOTE_AUTH.filter(
  (name) => name !== 'remoteAuth' && !BEARER.some((token) => token === name),
);

/** Returns the lower-case names of headers that flags set in place of the entry's. Throws ERR_SETTING. */
export function givenHeaders(flags: RunFlags): ReadonlySet<string> {
  const { flagPlain, flagSecret } = parseHeaders(flags);
  return new Set([...flagPlain, ...flagSecret].map(({ key }) => key.toLowerCase()));
}

function parseHeaders({ remoteForwardHeaders: plain, remoteForwardHeadersSecret: secret }: RunFlags): {
  readonly flagPlain: readonly KeyValue[];
  readonly flagSecret: readonly KeyValue[];
} {
  return {
    flagPlain: (plain ?? []).map((text) => parseForwardedHeader(text, '--remote-forward-headers')),
    flagSecret: (secret ?? []).map((text) =>
      parseForwardedHeaderSecret(text, '--remote-forward-headers-secret'),
    ),
  };
}

/** Returns the headers whose value `--secret` sets, with the name of the secret. */
function givenByReference({ request, entry }: Pick<MergeInput, 'request' | 'entry'>): readonly KeyValue[] {
  const references = (request.flags.secrets ?? []).map((text) => parseSecretReference(text, '--secret'));
  return (entry?.server.headers ?? []).flatMap(({ name: header, value }) => {
    const reference = references.findLast(({ target }) => isWholeInput(value, target));
    return reference === undefined ? [] : [{ key: header, value: reference.name }];
  });
}

function toRecord(pairs: readonly KeyValue[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
}
