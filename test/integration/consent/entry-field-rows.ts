import { PUBLISHER_PROVIDED, STACKLOK } from '@portolan/entry-format';
import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject } from '@portolan/run-spec';

/** Decision about a field: it opens nothing whatever it says, or a value of it brings a line that asks or refuses. */
export type Row = 'nothing' | { readonly value: unknown; readonly brings: RegExp };

/** Returns the parts that do not end so. */
const except = (parts: readonly string[], end: string): readonly string[] =>
  parts.filter((part) => !part.endsWith(end));

const INPUT = ['description', 'isRequired', 'format', 'value', 'default', 'placeholder', 'choices.*'];
const NAMED = [...INPUT, 'name', 'isSecret', ...['isSecret', ...INPUT].map((part) => `variables.*.${part}`)];
const ARGUMENT = [...NAMED, 'type', 'isRepeated', 'valueHint'];
const HEADER = except(NAMED, 'isSecret');

const asNothing = (prefix: string, parts: readonly string[]): Readonly<Record<string, Row>> =>
  Object.fromEntries(parts.map((part) => [`${prefix}${part}`, 'nothing']));

/** A secret that the entry requires without a value is looked up in the store by its name. */
const IN_CLEAR: Row = { value: true, brings: /^refused runtimeArguments$/ };
const SECRET: Row = { value: true, brings: /^gives the secret / };
const PULLS = { value: '10.9.8.7:5000/acme/notes:1', brings: /^pulls its image from 10\.9\.8\.7:5000/ };
const PRIVATE: Row = { value: 'http://10.9.8.7/mcp', brings: /^connects to http:\/\/10\.9\.8\.7/ };
/** The host path of `-v` that the entry itself writes. */
const MOUNTS: Row = { value: '/srv/data:/data', brings: /^write .*\/srv\/data/ };
const READS: Row = { value: ['~/.ssh:/keys'], brings: /^read ~\/\.ssh$/ };

/** Every field of `server.json`. */
const SERVER_FIELDS: Readonly<Record<string, Row>> = {
  ...asNothing('', ['$schema', 'name', 'description', 'version', 'title', 'websiteUrl']),
  ...asNothing('repository.', ['url', 'source', 'id', 'subfolder']),
  ...asNothing('icons.*.', ['src', 'mimeType', 'sizes.*', 'theme']),
  ...asNothing('packages.*.', [
    'registryType',
    'version',
    'fileSha256',
    'runtimeHint',
    'transport.type',
    'transport.url', // a port of the container
  ]),
  'packages.*.identifier': PULLS,
  // The host of the image; packages come from the index of the user.
  'packages.*.registryBaseUrl': { ...PULLS, value: 'https://10.9.8.7:5000' },
  ...asNothing('', ['packages.*.url', 'remotes.*.identifier']), // looked at for lists
  ...asNothing('packages.*.transport.headers.*.', NAMED),
  ...asNothing('packages.*.runtimeArguments.*.', except(ARGUMENT, 'variables.*.isSecret')),
  'packages.*.runtimeArguments.*.value': MOUNTS,
  'packages.*.runtimeArguments.*.variables.*.value': { ...MOUNTS, value: '/srv/data' },
  'packages.*.runtimeArguments.*.variables.*.default': { ...MOUNTS, value: '/srv/data' },
  'packages.*.runtimeArguments.*.isSecret': IN_CLEAR,
  'packages.*.runtimeArguments.*.variables.*.isSecret': SECRET,
  ...asNothing('packages.*.packageArguments.*.', except(ARGUMENT, 'isSecret')),
  'packages.*.packageArguments.*.isSecret': SECRET,
  'packages.*.packageArguments.*.variables.*.isSecret': SECRET,
  ...asNothing('packages.*.environmentVariables.*.', HEADER),
  'packages.*.environmentVariables.*.isSecret': SECRET,
  'packages.*.environmentVariables.*.variables.*.isSecret': SECRET,
  'remotes.*.type': 'nothing',
  'remotes.*.url': PRIVATE,
  ...asNothing('remotes.*.headers.*.', HEADER),
  'remotes.*.headers.*.isSecret': SECRET,
  'remotes.*.headers.*.variables.*.isSecret': SECRET,
  ...asNothing('remotes.*.variables.*.', INPUT),
  'remotes.*.variables.*.isSecret': SECRET,
};

/** Every field of the extension object in the publisher's `_meta`. */
const EXTENSION_FIELDS: Readonly<Record<string, Row>> = {
  ...asNothing('', ['args.*', 'transport', 'stateless', 'tools.*', 'tier', 'status', 'tags.*']),
  ...asNothing('', ['metadata.stars', 'proxy_port']), // the user chooses where a workload listens
  ...asNothing('env_vars.*.', [...INPUT, 'name', 'required', 'variables.*.value']),
  'env_vars.*.secret': SECRET,
  'env_vars.*.isSecret': SECRET,
  'permissions.name': 'nothing',
  'permissions.read.*': READS,
  'permissions.write.*': { value: ['/srv/data:/data'], brings: /^write \/srv\/data$/ },
  'permissions.privileged': { value: true, brings: /^refused permission_profile\.privileged/ },
  'permissions.network.mode': { value: 'host', brings: /^refused permission_profile\.network\.mode/ },
  'permissions.network.outbound.insecure_allow_all': 'nothing', // the default of a run
  'permissions.network.outbound.allow_host.*': { value: ['10.9.8.7'], brings: /^reaches 10\.9\.8\.7 / },
  'permissions.network.outbound.allow_port.*': 'nothing',
  'permissions.network.inbound.allow_host.*': 'nothing',
  // Two instances of Sigstore are known; another one is refused.
  ...asNothing('provenance.', [
    'sigstore_url',
    'repository_uri',
    'repository_ref',
    'runner_environment',
    'cert_issuer',
    'signer_identity',
    'attestation.predicate_type',
    'attestation.predicate',
  ]),
  'oauth_config.issuer': PRIVATE,
  'oauth_config.authorize_url': PRIVATE,
  'oauth_config.token_url': PRIVATE,
  // A run refuses the resource of another server before it asks.
  ...asNothing('oauth_config.', ['resource', 'client_id', 'scopes.*', 'oauth_params.*', 'callback_port']),
};

export const ROWS: Readonly<Record<string, Row>> = {
  ...SERVER_FIELDS,
  ...Object.fromEntries(
    Object.entries(EXTENSION_FIELDS).map(([path, row]) => [`_meta.publisher.${path}`, row] as const),
  ),
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
        transport: { type: 'streamable-http', url: 'http://localhost:8080/mcp', headers: [NAMED_VALUE] },
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
    // A list that is read as a whole covers its items.
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
  return ['_meta', PUBLISHER_PROVIDED, STACKLOK, IMAGE, ...rest.slice(1)];
}
