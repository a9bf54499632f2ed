import type { ConfigBlock } from '@portolan/plugin-api';

/** A scalar setting, which an environment variable and a flag can set. */
export interface Setting {
  readonly path: readonly string[];
  /** Such as `PORTOLAN_DATABASE_MAXOPENCONNS`. */
  readonly environmentName: string;
  readonly block: ConfigBlock;
}

/** Prefix of all environment variables of Portolan. */
export const PREFIX = 'PORTOLAN_';

/** Variables with the prefix that are not settings of the configuration. */
export const OTHER_ENVIRONMENT_NAMES: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'PORTOLAN_CONFIG', description: 'Configuration file, when --config does not name one.' },
  {
    name: 'PORTOLAN_DATA_DIR',
    description: 'Where `portolan plugins` installs. Left out: `portolan` in the data directory of the user.',
  },
  {
    name: 'PORTOLAN_DEBUG',
    description: '`true`: as --debug, which every command takes.',
  },
  {
    name: 'PORTOLAN_DEFAULT_REGISTRY',
    description:
      'Registry API that names are looked up in where the user has set none; `off` for none. Left out: the official one.',
  },
  {
    name: 'PORTOLAN_DIST',
    description: '`1` runs the built JavaScript in a checkout of Portolan, instead of the source.',
  },
  {
    name: 'PORTOLAN_GATEWAY_IMAGE',
    description:
      'Image with Node.js that gateways of isolated networks are made of, instead of `gateway.image`.',
  },
  {
    name: 'PORTOLAN_LOG_FORMAT',
    description: '`json` or `pretty`. Left out: pretty on a terminal, else JSON.',
  },
  {
    name: 'PORTOLAN_LOG_LEVEL',
    description: '`debug`, `info`, `warn` or `error`. Left out: LOG_LEVEL, else info.',
  },
  {
    name: 'PORTOLAN_RUNTIME',
    description:
      'Name of the runtime that workloads run on; `podman` is `docker` at the socket of Podman. Left out: docker.',
  },
  {
    name: 'PORTOLAN_REGISTRY_TOKEN_FILE',
    description: 'File with the access token for the registry that `run`, `search` and `registry` look into.',
  },
  {
    name: 'PORTOLAN_DISABLE_ENV_FALLBACK',
    description: '`true`: a secret that its store does not have is not looked for in PORTOLAN_SECRET_NAME.',
  },
  {
    name: 'PORTOLAN_SECRETS_PASSWORD',
    description: 'Password of the encrypted secrets. Left out: that of the keyring, or asked for.',
  },
  {
    name: 'PORTOLAN_SECRETS_PROVIDER',
    description: 'Where secrets are kept. Left out: what `portolan secret setup` has chosen.',
  },
  {
    name: 'PORTOLAN_TOKEN_FILE',
    description:
      'File with the access token of a command that asks a server, when --token-file does not name one.',
  },
  {
    name: 'PORTOLAN_URL',
    description: 'The server that commands such as publish ask, when --url does not name one.',
  },
];

/** Prefix of variables that contain a secret each. */
export const SECRET_PREFIX = 'PORTOLAN_SECRET_';

/**
 * Returns `PORTOLAN_` and the path in upper case, with `_` as separator and in place of invalid characters.
 */
export function environmentName(path: readonly string[]): string {
  return PREFIX + path.map((part) => part.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')).join('_');
}

/** Returns the scalar settings of a block. Lists and maps with free keys come from the file only. */
export function listSettings(block: ConfigBlock, path: readonly string[] = []): readonly Setting[] {
  if (block.type === 'array') return [];
  if (block.type !== 'object') return [{ path, environmentName: environmentName(path), block }];
  return Object.entries(block.properties ?? {}).flatMap(([key, inner]) =>
    listSettings(inner, [...path, key]),
  );
}

/** Returns the names in an environment with Portolan's prefix, sorted. */
export function prefixedNames(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX))
    .toSorted();
}
