import path from 'node:path';
import { findImageReference, isReservedImage } from '@portolan/outbound';
import {
  BUILD_LIMITS,
  badSetting,
  DRIFT_REACTIONS,
  expectedTrustedRegistry,
  hasControlCharacters,
  oneOf,
} from '@portolan/run-spec';
import { settingUnknown } from './user-config-errors.ts';
import type { SettingValue } from './update-user-config.ts';

export interface KnownSetting {
  /** Key of the setting; `*` stands for a name that the user chooses. */
  readonly key: string;
  readonly is: 'text' | 'truth' | 'texts';
  readonly description: string;
  /** Checks a value. Returns what is expected instead, for the error message; undefined for a valid value. */
  readonly expects?: (text: string) => string | undefined;
}

const secretName = (text: string): string | undefined =>
  text === '' || hasControlCharacters(text) ? 'the name of a secret' : undefined;

const image = (text: string): string | undefined =>
  findImageReference(text) === undefined || isReservedImage(text)
    ? 'an image reference of a registry, such as node:24-alpine'
    : undefined;
const systemPackage = (text: string): string | undefined =>
  /^[a-zA-Z0-9][a-zA-Z0-9._+-]{0,127}$/.test(text) ? undefined : 'the name of a package';
const address = (text: string): string | undefined =>
  URL.canParse(text) ? undefined : 'an address, such as https://sso.acme.example';
const egressHost = (text: string): string | undefined =>
  /^(?:\*\.|\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?(?::\d{1,5})?$|^[0-9a-fA-F:.[\]]+(?:\/\d{1,3})?(?::\d{1,5})?$/.test(
    text,
  )
    ? undefined
    : 'a host name or an address';

const samplingRate = (text: string): string | undefined =>
  Number(text) >= 0 && Number(text) <= 1 ? undefined : 'a number from 0 to 1';

const buildLimit =
  (key: keyof typeof BUILD_LIMITS) =>
  (text: string): string | undefined => {
    const { parse, expected } = BUILD_LIMITS[key];
    return parse(text) === undefined ? expected : undefined;
  };

/** Settings that `portolan config set` accepts, in the order in which they are listed. */
export const KNOWN_SETTINGS: readonly KnownSetting[] = [
  { key: 'registry_api_url', is: 'text', description: 'registry API that server names are looked up in' },
  { key: 'registry_url', is: 'text', description: 'catalogue behind a URL' },
  { key: 'local_registry_path', is: 'text', description: 'catalogue in a file' },
  {
    key: 'default_registry',
    is: 'truth',
    description: 'false: do not query the official registry when none of these is set',
  },
  {
    key: 'lock.file',
    is: 'text',
    description: 'lock file with the approved definitions, for workloads that name none',
  },
  {
    key: 'lock.drift',
    is: 'text',
    description: 'reaction to a difference from what was approved: warn, hold or refuse',
    expects: (text) => (DRIFT_REACTIONS.some((one) => one === text) ? undefined : oneOf(DRIFT_REACTIONS)),
  },
  {
    key: 'allow_private_registry_ip',
    is: 'truth',
    description: 'allow registries at private addresses and over http',
  },
  { key: 'allow_http_registry', is: 'truth', description: 'allow registries over http' },
  {
    key: 'registry_auth.oauth.issuer',
    is: 'text',
    description: 'authorization server of the registry, for `portolan registry login`',
    expects: address,
  },
  { key: 'registry_auth.oauth.client_id', is: 'text', description: 'client that is registered there' },
  {
    key: 'registry_auth.oauth.client_secret',
    is: 'text',
    description: 'name of the stored client secret of that client',
    expects: secretName,
  },
  { key: 'registry_auth.oauth.audience', is: 'text', description: 'audience of tokens for the registry' },
  { key: 'registry_auth.oauth.scopes', is: 'texts', description: 'scopes of tokens for the registry' },
  { key: 'ca_certificate_path', is: 'text', description: 'CA certificate that builds trust' },
  {
    key: 'gateway.image',
    is: 'text',
    description: 'image of the gateway of isolated networks',
    expects: image,
  },
  {
    key: 'build.allow_host',
    is: 'texts',
    description: 'hosts that builds may reach in addition to those of the ecosystem',
    expects: egressHost,
  },
  {
    key: 'build.memory',
    is: 'text',
    description: 'maximum memory of each step of a build; default 4GiB',
    expects: buildLimit('memory'),
  },
  {
    key: 'build.processes',
    is: 'text',
    description: 'maximum number of processes of each step of a build; default 2048',
    expects: buildLimit('processes'),
  },
  {
    key: 'build.timeout',
    is: 'text',
    description: 'maximum duration of a build; default 30m',
    expects: buildLimit('timeout'),
  },
  {
    key: 'build.image_size',
    is: 'text',
    description: 'maximum size of a built image; default 5GiB',
    expects: buildLimit('image_size'),
  },
  {
    key: 'runtime_configs.*.builder_image',
    is: 'text',
    description: 'base image of the packages of a scheme',
    expects: image,
  },
  {
    key: 'runtime_configs.*.additional_packages',
    is: 'texts',
    description: 'system packages that images of a scheme get',
    expects: systemPackage,
  },
  {
    key: 'runtime_configs.*.build_with',
    is: 'texts',
    description: 'constraints for the installation of Python packages',
  },
  {
    key: 'runtime_configs.*.runtime_env.*',
    is: 'text',
    description: 'variable that images of a scheme have',
  },
  {
    key: 'verification.github_root',
    is: 'text',
    description: "file of GitHub's first TUF root, to verify images that GitHub's own Sigstore vouches for",
    expects: (text) => (path.isAbsolute(text) ? undefined : 'an absolute path'),
  },
  {
    key: 'trust.registries',
    is: 'texts',
    description: 'trusted registries, whose entries need no consent',
    expects: expectedTrustedRegistry,
  },
  {
    key: 'otel.endpoint',
    is: 'text',
    description: 'address of the OTLP collector, for workloads without telemetry flags',
  },
  {
    key: 'otel.sampling-rate',
    is: 'text',
    description: 'share of traced calls, from 0 to 1',
    expects: samplingRate,
  },
  { key: 'otel.env-vars', is: 'texts', description: 'environment variables to add to every span' },
  { key: 'otel.metrics-enabled', is: 'truth', description: 'send metrics' },
  { key: 'otel.tracing-enabled', is: 'truth', description: 'send traces' },
  { key: 'otel.insecure', is: 'truth', description: 'connect to the collector without TLS' },
  {
    key: 'otel.enable-prometheus-metrics-path',
    is: 'truth',
    description: 'show the metrics of calls at /metrics of the proxy',
  },
  {
    key: 'otel.use-legacy-attributes',
    is: 'truth',
    description: 'give spans the older attribute names in addition to those of the semantic conventions',
  },
  {
    key: 'secrets.provider_type',
    is: 'text',
    description: 'secret store; set it with `portolan secret provider`',
  },
];

export interface SettingMatch {
  readonly setting: KnownSetting;
  readonly path: readonly string[];
}

/** Returns the setting of a key such as `gateway.image`. Throws ERR_SETTING with all known keys. */
export function getKnownSetting(key: string): SettingMatch {
  const names = key.split('.');
  const setting = KNOWN_SETTINGS.find(({ key: known }) => {
    const parts = known.split('.');
    return (
      parts.length === names.length &&
      parts.every((part, index) =>
        part === '*' ? /^[\w-]+$/.test(names[index] ?? '') : part === names[index],
      )
    );
  });
  if (setting === undefined) {
    throw settingUnknown(
      key,
      KNOWN_SETTINGS.map((known) => known.key.replaceAll('*', 'NAME')),
    );
  }
  return { setting, path: names };
}

export function parseSettingValue(
  { key, is, expects }: KnownSetting,
  words: readonly string[],
): SettingValue {
  const [first = ''] = words;
  for (const word of words) {
    const expected = word === '' ? 'a value' : expects?.(word);
    if (expected !== undefined) throw badSetting(key, word, expected);
  }
  if (is === 'texts') return [...new Set(words)];
  if (words.length !== 1) throw badSetting(key, words.join(' '), 'one value');
  if (is === 'text') return first;
  if (/^(?:true|false)$/i.test(first)) return first.toLowerCase() === 'true';
  throw badSetting(key, first, 'true or false');
}
