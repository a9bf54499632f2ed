import type { ConfigBlock } from '@portolan/plugin-api';

export interface Setting {
  readonly path: readonly string[];
  readonly environmentName: string;
  readonly block: ConfigBlock;
}

export const PREFIX = 'PORTOLAN_';

export const OTHER_ENVIRONMENT_NAMES: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'PORTOLAN_CONFIG', description: 'Configuration file; --config overrides it.' },
  {
    name: 'PORTOLAN_DATA_DIR',
    description:
      'Folder in which `portolan plugins` installs. Default: `portolan` in the data directory of the user.',
  },
  {
    name: 'PORTOLAN_DEBUG',
    description: '`true`: the same as --debug, for every command.',
  },
  {
    name: 'PORTOLAN_DEFAULT_REGISTRY',
    description:
      'Registry API for names when the user has set no registry; `off` for none. Default: the official registry.',
  },
  {
    name: 'PORTOLAN_DIST',
    description: '`1` runs the built JavaScript in a checkout of Portolan, instead of the source.',
  },
  {
    name: 'PORTOLAN_GATEWAY_IMAGE',
    description: 'Image with Node.js for gateways of isolated networks, instead of `gateway.image`.',
  },
  {
    name: 'PORTOLAN_LOG_FORMAT',
    description: '`json` or `pretty`. Default: pretty on a terminal, else JSON.',
  },
  {
    name: 'PORTOLAN_LOG_LEVEL',
    description: '`debug`, `info`, `warn` or `error`. Default: LOG_LEVEL, else info.',
  },
  {
    name: 'PORTOLAN_RUNTIME',
    description:
      'Name of the runtime of workloads; `podman` is `docker` at the socket of Podman. Default: docker.',
  },
  {
    name: 'PORTOLAN_REGISTRY_TOKEN_FILE',
    description: 'File with the access token for the registry of `run`, `search` and `registry`.',
  },
  {
    name: 'PORTOLAN_DISABLE_ENV_FALLBACK',
    description: '`true`: no fallback to PORTOLAN_SECRET_NAME for a secret that the store does not have.',
  },
  {
    name: 'PORTOLAN_SECRETS_PASSWORD',
    description: 'Password of the encrypted secrets. Default: that of the keyring, else a prompt.',
  },
  {
    name: 'PORTOLAN_SECRETS_PROVIDER',
    description: 'Secret store. Default: the choice of `portolan secret setup`.',
  },
  {
    name: 'PORTOLAN_TOKEN_FILE',
    description: 'File with the access token for commands that call a server; --token-file overrides it.',
  },
  {
    name: 'PORTOLAN_URL',
    description: 'Server that commands such as publish call; --url overrides it.',
  },
];

export const SECRET_PREFIX = 'PORTOLAN_SECRET_';

/** Returns `PORTOLAN_` and the path in upper case, with `_` as separator and for invalid characters. */
export function environmentName(path: readonly string[]): string {
  return PREFIX + path.map((part) => part.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')).join('_');
}

/** Lists and maps with free keys come from the file only. */
export function listSettings(block: ConfigBlock, path: readonly string[] = []): readonly Setting[] {
  if (block.type === 'array') return [];
  if (block.type !== 'object') return [{ path, environmentName: environmentName(path), block }];
  return Object.entries(block.properties ?? {}).flatMap(([key, inner]) =>
    listSettings(inner, [...path, key]),
  );
}

export function prefixedNames(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX))
    .toSorted();
}
