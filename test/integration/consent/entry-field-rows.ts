import { PUBLISHER_PROVIDED, STACKLOK } from '@portolan/entry-format';
import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject } from '@portolan/run-spec';

/** A value of a field that opens something, with the line of consent or refusal. */
export interface Opening {
  readonly value: unknown;
  readonly brings: RegExp;
}

/** A secret that the entry requires without a value is looked up by its name. */
const SECRET: Opening = { value: true, brings: /^gives the secret / };
const PULLS = { value: '10.9.8.7:5000/acme/notes:1', brings: /^pulls its image from 10\.9\.8\.7:5000/ };
const PRIVATE: Opening = { value: 'http://10.9.8.7/mcp', brings: /^connects to http:\/\/10\.9\.8\.7/ };
/** The entry itself contains the host path of `-v`. */
const MOUNTS: Opening = { value: '/srv/data:/data', brings: /^write .*\/srv\/data/ };
const READS: Opening = { value: ['~/.ssh:/keys'], brings: /^read ~\/\.ssh$/ };

/** Fields of the table that open something. The other fields never open anything. */
export const OPENINGS: Readonly<Record<string, Opening>> = {
  'packages.*.identifier': PULLS,
  // Host of the image. Packages come from the user's index.
  'packages.*.registryBaseUrl': { ...PULLS, value: 'https://10.9.8.7:5000' },
  'packages.*.runtimeArguments.*.value': MOUNTS,
  'packages.*.runtimeArguments.*.variables.*.value': { ...MOUNTS, value: '/srv/data' },
  'packages.*.runtimeArguments.*.variables.*.default': { ...MOUNTS, value: '/srv/data' },
  'packages.*.runtimeArguments.*.isSecret': { value: true, brings: /^refused runtimeArguments$/ },
  'packages.*.runtimeArguments.*.variables.*.isSecret': SECRET,
  'packages.*.packageArguments.*.isSecret': SECRET,
  'packages.*.packageArguments.*.variables.*.isSecret': SECRET,
  'packages.*.environmentVariables.*.isSecret': SECRET,
  'packages.*.environmentVariables.*.variables.*.isSecret': SECRET,
  'remotes.*.url': PRIVATE,
  'packages.*.transport.headers.*.isSecret': SECRET,
  'packages.*.transport.headers.*.variables.*.isSecret': SECRET,
  'remotes.*.headers.*.isSecret': SECRET,
  'remotes.*.headers.*.variables.*.isSecret': SECRET,
  'remotes.*.variables.*.isSecret': SECRET,
  '_meta.publisher.env_vars.*.secret': SECRET,
  '_meta.publisher.env_vars.*.isSecret': SECRET,
  '_meta.publisher.permissions.read.*': READS,
  '_meta.publisher.permissions.write.*': { value: ['/srv/data:/data'], brings: /^write \/srv\/data$/ },
  '_meta.publisher.permissions.privileged': {
    value: true,
    brings: /^refused permission_profile\.privileged/,
  },
  '_meta.publisher.permissions.network.mode': {
    value: 'host',
    brings: /^refused permission_profile\.network\.mode/,
  },
  '_meta.publisher.permissions.network.outbound.allow_host.*': {
    value: ['10.9.8.7'],
    brings: /^reaches 10\.9\.8\.7 /,
  },
  '_meta.publisher.oauth_config.issuer': PRIVATE,
  '_meta.publisher.oauth_config.authorize_url': PRIVATE,
  '_meta.publisher.oauth_config.token_url': PRIVATE,
};

export const IMAGE = 'acme/notes:1';
export const URL_TEXT = 'https://mcp.acme.example/mcp';
const INPUT_VALUE = {
  description: 'x',
  isRequired: true,
  format: 'string',
  placeholder: 'x',
  isSecret: false,
};
const VARIABLE = { ...INPUT_VALUE, choices: [] };
const NAMED_VALUE = { ...INPUT_VALUE, choices: [], name: 'KEY', variables: { V: VARIABLE } };
const ARGUMENT_VALUE = { ...NAMED_VALUE, type: 'named', name: '--key', valueHint: 'key', isRepeated: false };

const EXTENSION: JsonObject = {
  args: ['x'],
  transport: 'stdio',
  stateless: true,
  tools: ['echo'],
  tier: 'Official',
  status: 'Active',
  tags: ['x'],
  metadata: { stars: 1 },
  proxy_port: 8080,
  env_vars: [
    { name: 'OLD', description: 'x', required: true, secret: false, variables: { V: { value: 'x' } } },
  ],
  permissions: {
    name: 'x',
    read: [],
    write: [],
    privileged: false,
    network: {
      mode: 'bridge',
      outbound: { insecure_allow_all: false, allow_host: ['api.acme.example'], allow_port: [443] },
      inbound: { allow_host: ['x'] },
    },
  },
  provenance: { repository_uri: 'https://github.com/acme/notes', attestation: { predicate_type: 'x' } },
  oauth_config: { issuer: 'https://id.acme.example', scopes: ['a'], oauth_params: { prompt: 'x' } },
};

const REPOSITORY = { url: 'https://github.com/acme/notes', source: 'github', id: '1', subfolder: 'x' };

function base(parts: JsonObject): JsonObject {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: 'dev.acme/notes',
    description: 'Notes',
    version: '1.0.0',
    title: 'Notes',
    websiteUrl: 'https://acme.example',
    repository: REPOSITORY,
    icons: [{ src: 'https://acme.example/i.png', mimeType: 'image/png', sizes: ['any'], theme: 'dark' }],
    ...parts,
    _meta: { [PUBLISHER_PROVIDED]: { [STACKLOK]: { [IMAGE]: EXTENSION } } },
  };
}

function ofPackage(registryType: string, identifier: string): JsonObject {
  return base({
    packages: [
      {
        registryType,
        identifier,
        registryBaseUrl: '',
        version: '1.0.0',
        fileSha256: 'a'.repeat(64),
        runtimeHint: 'docker',
        transport: {
          type: 'streamable-http',
          url: 'http://localhost:8080/mcp',
          headers: [{ ...NAMED_VALUE, name: 'X-Key' }],
        },
        runtimeArguments: [
          { ...ARGUMENT_VALUE, name: '-e', value: 'MODE={V}' },
          { ...ARGUMENT_VALUE, name: '-v', value: '{V}:/work' },
        ],
        packageArguments: [ARGUMENT_VALUE],
        environmentVariables: [NAMED_VALUE],
      },
    ],
  });
}

/** Documents in which every field has a value that opens nothing. */
export const DOCUMENTS: readonly JsonObject[] = [
  ofPackage('oci', IMAGE),
  ofPackage('npm', '@acme/notes'),
  ofPackage('pypi', 'notes'),
  base({
    remotes: [
      {
        type: 'streamable-http',
        url: URL_TEXT,
        headers: [{ ...NAMED_VALUE, name: 'X-Key' }],
        variables: { V: VARIABLE },
      },
    ],
  }),
];

/** Returns copies of a value with the field of a path set, one for each way through lists and maps. */
export function withField(value: unknown, path: readonly string[], field: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return field;
  if (key === '*') {
    // A list that is read as a whole includes its items.
    if (rest.length === 0 && Array.isArray(field)) return field;
    if (Array.isArray(value)) return value.map((item) => withField(item, rest, field));
    if (isJsonObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, withField(item, rest, field)]),
      );
    }
    return [withField(undefined, rest, field)];
  }
  const inner = isJsonObject(value) ? value : {};
  return { ...inner, [key]: withField(inner[key], rest, field) };
}

export function documentPath(path: string): readonly string[] {
  const [first = '', ...rest] = path.split('.');
  if (first !== '_meta') return [first, ...rest];
  if (rest[0] === 'portolan') return ['_meta', PUBLISHER_PROVIDED, 'dev.portolan', ...rest.slice(1)];
  return ['_meta', PUBLISHER_PROVIDED, STACKLOK, IMAGE, ...rest.slice(1)];
}
