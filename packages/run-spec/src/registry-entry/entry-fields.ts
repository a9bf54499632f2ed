/**
 * Description of how `run` handles one field of a registry entry. It has at least one of the first four
 * members.
 */
export interface EntryField {
  readonly used?: string;
  /** Where the value is shown without affecting a run. */
  readonly shown?: string;
  /** Values for which `run` fails, with its error message. */
  readonly refused?: string;
  /** Values that are ignored, with the line of `plan` and `run` that says so. */
  readonly leftOut?: string;
  /** The field can give the server access to this machine, so it needs consent. */
  readonly opens?: true;
  /** Name of the field in the `server.json` schema of 2025-07-09. */
  readonly oldName?: string;
}

type Fields = Readonly<Record<string, EntryField>>;

function inputFields(user: string): Fields {
  return {
    description: { shown: 'in the question for the value' },
    isRequired: {
      used: 'a value without `value` and `default` is requested',
      refused: 'without a value and without a terminal: `missing required … NAME`',
      oldName: 'is_required',
    },
    format: {
      used: 'a given `number` or `boolean` is checked; `filepath` is a path in `-v`',
      refused: '`The value given for NAME is not a number`',
    },
    value: {
      used: `fixed text; \`{NAME}\` in it is filled from \`variables\`, ${user}`,
      leftOut: '`does not define {NAME} in …: the text stays as it is`',
    },
    default: {
      used: 'without another value',
      leftOut: '`The default of NAME contains {X}, which stays as it is`',
    },
    placeholder: { shown: 'in the question for the value' },
    'choices.*': { used: 'a given value is checked', refused: '`The value given for NAME is not …`' },
    isSecret: {
      used: 'the value is kept in the secret store; a stored secret of that name is used',
      oldName: 'is_secret',
      opens: true,
    },
  };
}

function below(prefix: string, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [`${prefix}${name}`, field]));
}

function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Removes old names, because extension fields have the same name in every schema. */
function withoutOldNames(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { oldName: _oldName, ...field }]) => [name, field]),
  );
}

/** Returns the fields of a named input, including the variables in its `value`. */
function namedFields(user: string, name: EntryField): Fields {
  const variables = inputFields(user);
  return {
    ...inputFields(user),
    name,
    ...below('variables.*.', { ...variables, value: { used: 'fixed text' } }),
  };
}

const BY_E = '`-e NAME=VALUE` or `--secret SECRET,target=NAME`';

const ARGUMENT: Fields = {
  ...namedFields(BY_E, { used: 'the flag before the value' }),
  type: { used: '`named` has a flag, `positional` none' },
  isRepeated: {
    leftOut: '`The argument NAME is given once, though it may be repeated`',
    oldName: 'is_repeated',
  },
  valueHint: { used: 'the name by which a user gives the value', oldName: 'value_hint' },
};

/** Fields of runtime arguments. Options of the engine or package runner become settings of the run. */
const RUNTIME_ARGUMENT: Fields = {
  ...ARGUMENT,
  name: {
    used: '`-e`, `-v`, `--mount`, `-p`, `--network none`, `--from`, `--with`, `--python`, `--index-url` and the like become settings of the run',
    refused: '`NAME cannot run with its runtime argument X: …`',
    leftOut: '`The runtime argument X is left out: …`, or one line of options that Portolan decides itself',
  },
  value: { ...inputFields(BY_E)['value'], opens: true },
  'variables.*.value': { used: 'fixed text', opens: true },
  'variables.*.default': { used: 'without another value', opens: true },
  isSecret: {
    refused:
      '`NAME is a secret in the runtime argument X, which is stored in plain text`; with `-e` the secret store holds it',
    oldName: 'is_secret',
    opens: true,
  },
};

const HEADER = namedFields(BY_E, { used: 'the header of each request to the remote server' });

/** Fields of package headers, which a server on standard input and output does not get. */
const PACKAGE_HEADER: Fields = {
  ...namedFields(BY_E, {
    used: 'the header of each request to the server',
    leftOut: '`The headers NAME of the package do not count: its transport has no headers`',
  }),
  isRequired: {
    used: 'a value without `value` and `default` is asked for',
    refused: '`its package requires the header NAME, and its transport has no headers`',
    oldName: 'is_required',
  },
};

const SERVER_FIELDS: Fields = {
  $schema: { used: 'whether the document has the names of 2025-07-09' },
  name: { used: 'look-up, name of the workload, consent' },
  description: { shown: '`search`, `registry info`, web console' },
  version: { used: '`update`, and the version that runs', shown: '`registry info`' },
  title: { shown: '`search`, `registry info`, web console' },
  '_meta.portolan.definitions': {
    shown: '`search`, `registry info`, web console; differences of the server when there is no lock file',
  },
  websiteUrl: { shown: 'web console', oldName: 'website_url' },
  'repository.url': { shown: '`registry info`, web console' },
  'repository.source': { shown: 'web console' },
  'repository.id': { shown: 'in the document alone' },
  'repository.subfolder': { shown: 'web console' },
  ...below('icons.*.', {
    src: { shown: 'web console' },
    mimeType: { shown: 'in the document alone' },
    'sizes.*': { shown: 'in the document alone' },
    theme: { shown: 'in the document alone' },
  }),
  ...below('packages.*.', {
    registryType: {
      used: '`oci` is run as it is, `npm` by npx, `pypi` by uvx',
      refused: '`its packages are of types that are not run here: TYPES`',
      leftOut: '`The package NAME is not used`',
      oldName: 'registry_type',
    },
    registryBaseUrl: {
      used: 'host of an image without one',
      leftOut: '`The package registry URL of the entry does not count`',
      oldName: 'registry_base_url',
      opens: true,
    },
    identifier: {
      used: 'the image or the package',
      refused: '`the identifier of its package is no image reference`',
      opens: true,
    },
    version: {
      used: 'version of the package, tag of an image without one',
      leftOut: '`The version V of the package does not count: its identifier has a tag or a digest`',
    },
    fileSha256: { leftOut: '`The fileSha256 of the package does not count`', oldName: 'file_sha256' },
    runtimeHint: {
      leftOut: '`The runtimeHint X does not count: Portolan does what Y does`',
      oldName: 'runtime_hint',
    },
    url: { shown: 'which extension lists read' },
    'transport.type': {
      used: 'the transport, as `--transport`',
      leftOut: '`The transport X does not count: it is none`',
    },
    'transport.url': {
      used: 'port and path of the endpoint, as `--target-port` and `--target-path`',
      refused: 'a path of the proxy itself, an invalid port: `transport URL of the entry: found …`',
      leftOut: '`The host H of the transport URL does not count`',
    },
    ...below('transport.headers.*.', PACKAGE_HEADER),
    ...below('runtimeArguments.*.', RUNTIME_ARGUMENT),
    ...below('packageArguments.*.', ARGUMENT),
    ...below('environmentVariables.*.', namedFields(BY_E, { used: 'the variable of the server' })),
  }),
  ...below('remotes.*.', {
    type: { used: 'the transport, as `--transport`' },
    url: {
      used: 'the address of the first remote; `{NAME}` in it is filled from `variables`',
      refused: 'a brace that is left: `URL of the registry entry: found …`',
      leftOut: '`Not used, because Portolan runs the first remote: …`',
      opens: true,
    },
    identifier: { shown: 'which extension lists read' },
    ...below('headers.*.', HEADER),
    ...below('variables.*.', {
      ...inputFields(BY_E),
      value: { used: 'fixed text' },
      isRequired: {
        shown: 'in the document alone: every variable of a URL is required',
        refused: 'without a value, and nobody to ask: `missing required … NAME`',
        oldName: 'is_required',
      },
      default: {
        used: 'without another value',
        refused: 'a brace in it: `URL of the registry entry: found …`',
      },
    }),
  }),
};

/** Fields of the publisher's object below `_meta`, for one package or remote. */
const EXTENSION_FIELDS: Fields = {
  'args.*': {
    used: 'arguments of a package without `packageArguments`',
    leftOut: '`Left out of the extension, because the package or remote has its own: args`',
  },
  transport: {
    used: 'the transport of a package or remote without one',
    leftOut: '`Left out of the extension, …: transport X`',
  },
  stateless: { used: 'as `--stateless`' },
  'tools.*': { used: 'names that `--tools` may have', shown: '`search`, `registry info`' },
  tier: { shown: '`search`, `registry info`' },
  status: { shown: '`search`, `registry info`' },
  'tags.*': { shown: '`search`, `registry info`' },
  'metadata.stars': { shown: '`search`' },
  proxy_port: { leftOut: '`The proxy_port of the entry does not count`' },
  ...below('env_vars.*.', {
    ...without(withoutOldNames(inputFields(BY_E)), 'isSecret'),
    name: {
      used: 'the variable of the server',
      leftOut: '`Left out of the extension, … the variable NAME`',
    },
    required: { used: 'as `isRequired`' },
    secret: { used: 'as `isSecret`', opens: true },
    isSecret: { used: 'as of a variable of the package', opens: true },
    'variables.*.value': { used: 'fixed text' },
  }),
  ...below('permissions.', {
    name: { used: 'name of the profile' },
    'read.*': { used: 'mounts', opens: true },
    'write.*': { used: 'mounts', opens: true },
    privileged: { refused: '`permission_profile.privileged: a privileged container`', opens: true },
    'network.mode': { used: 'the network', refused: '`host` and named networks', opens: true },
    'network.outbound.insecure_allow_all': { used: 'what the container may reach' },
    'network.outbound.allow_host.*': { used: 'what the container may reach', opens: true },
    'network.outbound.allow_port.*': { used: 'what the container may reach' },
    'network.inbound.allow_host.*': { shown: 'in the profile; the proxy alone reaches the container' },
  }),
  ...below('provenance.', {
    sigstore_url: { used: 'verification of the image' },
    repository_uri: { used: 'verification of the image' },
    repository_ref: { used: 'verification of the image' },
    runner_environment: { used: 'verification of the image' },
    cert_issuer: { used: 'verification of the image' },
    signer_identity: { used: 'verification of the image' },
    'attestation.predicate_type': { used: 'verification of the image' },
    'attestation.predicate': { used: 'verification of the image' },
  }),
  ...below('oauth_config.', {
    issuer: { used: 'login to the remote server', opens: true },
    authorize_url: { used: 'login to the remote server', opens: true },
    token_url: { used: 'login to the remote server', opens: true },
    resource: { used: 'login to the remote server; that of another server is refused' },
    client_id: { used: 'login to the remote server' },
    'scopes.*': { used: 'login to the remote server' },
    'oauth_params.*': { used: 'login to the remote server' },
    callback_port: { used: 'login to the remote server' },
  }),
};

/**
 * Path of the publisher's object in `ENTRY_FIELDS`. In a document, it is
 * `_meta.…publisher-provided.VENDOR.KEY`.
 */
export const EXTENSION_PATH = '_meta.publisher.';

/**
 * Every field of `server.json` in every published schema, and of the publisher's object. `*` is any index or
 * name; `_meta.portolan` is `_meta.…publisher-provided.dev.portolan`.
 */
export const ENTRY_FIELDS: Fields = { ...SERVER_FIELDS, ...below(EXTENSION_PATH, EXTENSION_FIELDS) };

/** Fields of older schemas that are dropped on reading. Registries now store them outside of the document. */
export const REMOVED_FIELDS: Fields = {
  status: { shown: 'until 2025-09-16; the registry says it now' },
  '_meta.official': { shown: 'until 2025-09-16; the registry says it now' },
};
