import { settingsConflict } from './settings-errors.ts';
import { type KeyValue, parseForwardedHeader, parseForwardedHeaderSecret } from '../parse/key-value.ts';
import { parseSecretReference } from '../parse/secret-reference.ts';
import { isWholeInput } from '../registry-entry/fill-server-settings.ts';
import { FLAG_NAMES, type RunFlags, type RunRequest } from './run-request.ts';
import type { MergeInput, RemoteSettings } from './merged-settings.ts';

const OF_CONTAINERS = [
  'env',
  'envFile',
  'envFileDir',
  'secrets',
  'volumes',
  'publish',
  'network',
  'isolateNetwork',
  'allowContainerGateway',
  'permissionProfile',
  'runtimeImage',
  'runtimeAddPackages',
  'buildWith',
  'caCert',
  'imageVerification',
  'targetHost',
  'targetPort',
] as const;

/** With these, what a registry entry wants to know is answered. */
const ANSWERS: readonly (typeof OF_CONTAINERS)[number][] = ['env', 'envFile', 'envFileDir', 'secrets'];

/** A sentence for each flag that a remote server makes nothing of. */
export function warnOfContainerFlags(
  { flags, args }: Pick<RunRequest, 'flags' | 'args'>,
  hasEntry: boolean,
): readonly string[] {
  const given = OF_CONTAINERS.filter(
    (key) => flags[key] !== undefined && !(hasEntry && ANSWERS.includes(key)),
  );
  const names = [...given.map((key) => FLAG_NAMES[key]), ...(args.length === 0 ? [] : ['--'])];
  return names.map((name) => `${name} has no effect: a remote server runs in no container.`);
}

/** Throws ERR_SETTINGS_CONFLICT for headers to a server that is not remote. */
export function refuseRemoteFlags(flags: RunFlags): void {
  for (const key of ['remoteForwardHeaders', 'remoteForwardHeadersSecret'] as const) {
    if (flags[key] !== undefined) {
      throw settingsConflict(FLAG_NAMES[key], 'what is run', 'headers are forwarded to remote servers only');
    }
  }
}

/** The remote server. Headers of the flags replace those of the entry, whatever their case. Throws ERR_FORWARDED_HEADER. */
export function mergeRemote({ request, entry }: MergeInput, url: URL): RemoteSettings {
  const { remoteForwardHeaders: plain, remoteForwardHeadersSecret: secret } = request.flags;
  const { flagPlain, flagSecret } = parseHeaders(request.flags);
  const asked = givenHeaders(request.flags);
  const isFree = ({ key }: KeyValue): boolean => !asked.has(key.toLowerCase());
  const ofEntry = [...(entry?.filled.headers ?? [])].map(([key, value]) => ({ key, value }));
  const secretsOfEntry = [
    ...(entry?.filled.secretHeaders ?? []).map(({ target, name }) => ({ key: target, value: name })),
    ...givenByReference({ request, entry }),
  ];
  const isFlag = plain !== undefined || secret !== undefined;
  const isEntry = ofEntry.length + secretsOfEntry.length > 0;
  return {
    url: url.href,
    headers: {
      value: {
        add_plaintext_headers: toRecord([...ofEntry.filter(isFree), ...flagPlain]),
        add_headers_from_secret: toRecord([...secretsOfEntry.filter(isFree), ...flagSecret]),
      },
      from: isFlag ? 'flag' : isEntry ? 'registry' : 'default',
      by: isFlag ? '--remote-forward-headers' : isEntry ? 'the entry' : 'built in',
    },
  };
}

/** Names of the headers that the flags give in place of those of an entry, in small letters. Throws ERR_FORWARDED_HEADER. */
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

/** Headers of the entry that --secret names a secret for. */
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
