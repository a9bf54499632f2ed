/** Kinds of members: a workload of this machine, a server that runs with the virtual server, and a remote. */
export const MEMBER_KINDS = ['workload', 'run', 'url'] as const;
export type MemberKind = (typeof MEMBER_KINDS)[number];

/** Value of a member's setting by its type, as it is in a members file. A duration is a text such as `30s`. */
export interface MemberFieldValues {
  readonly text: string;
  readonly integer: number;
  readonly truth: boolean;
  readonly texts: readonly string[];
  readonly 'text-map': Readonly<Record<string, string>>;
  readonly duration: string;
  readonly reference: string;
}

export interface MemberField {
  readonly is: keyof MemberFieldValues;
  /** Field of the run config that has the same meaning, or part of it as `FIELD.PART`. */
  readonly field: string;
  /** Flag of `run` with the same meaning, without dashes; undefined for the arguments of the server. */
  readonly flag: string | undefined;
  readonly of: readonly MemberKind[];
}

const RUN = ['run'] as const;
/** A run target may also lead to a remote server: an entry of the registry, or a URL. */
const REMOTE = ['run', 'url'] as const;
/** Headers also reach a workload, at its address. */
const ANY = MEMBER_KINDS;

/**
 * Settings of the server of a member, as users write them. Each has a flag of `run` and a field of the run
 * config, whose check applies. Settings of the proxy belong to the virtual server and are not in the table.
 */
export const MEMBER_FIELDS = {
  transport: { is: 'text', field: 'transport', flag: 'transport', of: REMOTE },
  stateless: { is: 'truth', field: 'stateless', flag: 'stateless', of: REMOTE },
  args: { is: 'texts', field: 'cmd_args', flag: undefined, of: RUN },
  env: { is: 'text-map', field: 'env_vars', flag: 'env', of: RUN },
  env_file: { is: 'text', field: 'env_file_dir', flag: 'env-file', of: RUN },
  env_file_dir: { is: 'text', field: 'env_file_dir', flag: 'env-file-dir', of: RUN },
  secrets: { is: 'texts', field: 'secrets', flag: 'secret', of: RUN },
  volumes: { is: 'texts', field: 'volumes', flag: 'volume', of: RUN },
  permission_profile: {
    is: 'text',
    field: 'permission_profile_name_or_path',
    flag: 'permission-profile',
    of: RUN,
  },
  network: { is: 'text', field: 'permission_profile.network.mode', flag: 'network', of: RUN },
  isolate_network: { is: 'truth', field: 'isolate_network', flag: 'isolate-network', of: RUN },
  allow_container_gateway: {
    is: 'truth',
    field: 'allow_docker_gateway',
    flag: 'allow-container-gateway',
    of: RUN,
  },
  ignore_globally: { is: 'truth', field: 'ignore_config.LoadGlobal', flag: 'ignore-globally', of: RUN },
  labels: { is: 'text-map', field: 'container_labels', flag: 'label', of: RUN },
  image_verification: { is: 'text', field: 'image_verification', flag: 'image-verification', of: RUN },
  ca_cert: { is: 'text', field: 'ca_cert', flag: 'ca-cert', of: RUN },
  runtime_image: { is: 'text', field: 'runtime_config.builder_image', flag: 'runtime-image', of: RUN },
  runtime_add_packages: {
    is: 'texts',
    field: 'runtime_config.additional_packages',
    flag: 'runtime-add-package',
    of: RUN,
  },
  build_with: { is: 'texts', field: 'runtime_config.build_with', flag: 'build-with', of: RUN },
  target_port: { is: 'integer', field: 'target_port', flag: 'target-port', of: RUN },
  target_path: { is: 'text', field: 'target_path', flag: 'target-path', of: RUN },
  stdio_sessions: { is: 'text', field: 'stdio_sessions', flag: 'stdio-sessions', of: RUN },
  max_sessions: { is: 'integer', field: 'max_sessions', flag: 'max-sessions', of: RUN },
  start: { is: 'text', field: 'start', flag: 'start', of: RUN },
  stop_after_idle: { is: 'duration', field: 'stop_after_idle', flag: 'stop-after-idle', of: RUN },
  forward_headers: {
    is: 'text-map',
    field: 'header_forward.add_plaintext_headers',
    flag: 'remote-forward-headers',
    of: ANY,
  },
  forward_headers_secret: {
    is: 'text-map',
    field: 'header_forward.add_headers_from_secret',
    flag: 'remote-forward-headers-secret',
    of: ANY,
  },
  remote_credentials: {
    is: 'text',
    field: 'remote_credentials.type',
    flag: 'remote-credentials',
    of: REMOTE,
  },
} as const satisfies Readonly<Record<string, MemberField>>;

type PartField = Omit<MemberField, 'of'>;

/** Settings in `remote_auth`, with the names of `remote_auth_config` in a run config. */
export const REMOTE_AUTH_FIELDS = {
  enabled: { is: 'truth', field: 'remote_auth_config.enabled', flag: 'remote-auth' },
  issuer: { is: 'text', field: 'remote_auth_config.issuer', flag: 'remote-auth-issuer' },
  authorize_url: {
    is: 'text',
    field: 'remote_auth_config.authorize_url',
    flag: 'remote-auth-authorize-url',
  },
  token_url: { is: 'text', field: 'remote_auth_config.token_url', flag: 'remote-auth-token-url' },
  client_id: { is: 'text', field: 'remote_auth_config.client_id', flag: 'remote-auth-client-id' },
  client_secret: {
    is: 'reference',
    field: 'remote_auth_config.client_secret',
    flag: 'remote-auth-client-secret',
  },
  client_secret_file: {
    is: 'text',
    field: 'remote_auth_config.client_secret_file',
    flag: 'remote-auth-client-secret-file',
  },
  bearer_token: {
    is: 'reference',
    field: 'remote_auth_config.bearer_token',
    flag: 'remote-auth-bearer-token',
  },
  bearer_token_file: {
    is: 'text',
    field: 'remote_auth_config.bearer_token_file',
    flag: 'remote-auth-bearer-token-file',
  },
  scopes: { is: 'texts', field: 'remote_auth_config.scopes', flag: 'remote-auth-scopes' },
  scope_param_name: {
    is: 'text',
    field: 'remote_auth_config.scope_param_name',
    flag: 'remote-auth-scope-param-name',
  },
  resource: { is: 'text', field: 'remote_auth_config.resource', flag: 'remote-auth-resource' },
  callback_port: {
    is: 'integer',
    field: 'remote_auth_config.callback_port',
    flag: 'remote-auth-callback-port',
  },
  skip_browser: { is: 'truth', field: 'remote_auth_config.skip_browser', flag: 'remote-auth-skip-browser' },
  timeout: { is: 'duration', field: 'remote_auth_config.timeout', flag: 'remote-auth-timeout' },
} as const satisfies Readonly<Record<string, PartField>>;

/** Settings in `token_exchange`, with the names of `token_exchange_config` in a run config. */
export const TOKEN_EXCHANGE_FIELDS = {
  token_url: { is: 'text', field: 'token_exchange_config.token_url', flag: 'token-exchange-url' },
  audience: { is: 'text', field: 'token_exchange_config.audience', flag: 'token-exchange-audience' },
  client_id: { is: 'text', field: 'token_exchange_config.client_id', flag: 'token-exchange-client-id' },
  client_secret: {
    is: 'reference',
    field: 'token_exchange_config.client_secret',
    flag: 'token-exchange-client-secret',
  },
  scopes: { is: 'texts', field: 'token_exchange_config.scopes', flag: 'token-exchange-scopes' },
  subject_token_type: {
    is: 'text',
    field: 'token_exchange_config.subject_token_type',
    flag: 'token-exchange-subject-token-type',
  },
  external_token_header_name: {
    is: 'text',
    field: 'token_exchange_config.external_token_header_name',
    flag: 'token-exchange-header-name',
  },
} as const satisfies Readonly<Record<string, PartField>>;

type ValuesOf<Table extends Readonly<Record<string, PartField>>> = {
  readonly [Name in keyof Table]?: MemberFieldValues[Table[Name]['is']];
};

/** Settings of a member's server. An absent setting has the default of `run`. */
export type ServerFields = ValuesOf<typeof MEMBER_FIELDS>;

/** Login of a member at its remote server. Secrets are references, `NAME,target=TARGET`. */
export type MemberRemoteAuth = ValuesOf<typeof REMOTE_AUTH_FIELDS>;

/** Token exchange for a member (RFC 8693). The client secret is a reference, `NAME,target=TARGET`. */
export type MemberTokenExchange = ValuesOf<typeof TOKEN_EXCHANGE_FIELDS>;
