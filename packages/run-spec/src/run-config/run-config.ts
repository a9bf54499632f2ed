import type { JsonObject } from '@portolan/plugin-api';
import type { PermissionProfile } from '../permissions/permission-profile.ts';
import type { HeaderForward, IgnoreConfig, OidcConfig, RuntimeConfig, ToolOverride } from './parts.ts';
import type { Webhook } from './webhooks.ts';

/** Format version of written documents. */
export const RUN_CONFIG_VERSION = 'v0.1.0';

/** `object` and `objects` are kept unchanged. */
interface FieldValues {
  readonly text: string;
  readonly integer: number;
  readonly truth: boolean;
  readonly texts: readonly string[];
  readonly 'text-map': Readonly<Record<string, string>>;
  readonly object: JsonObject | undefined;
  readonly objects: readonly JsonObject[];
  readonly profile: PermissionProfile | undefined;
  readonly ignore: IgnoreConfig | undefined;
  readonly runtime: RuntimeConfig | undefined;
  readonly headers: HeaderForward | undefined;
  readonly oidc: OidcConfig | undefined;
  readonly webhooks: readonly Webhook[];
  readonly overrides: Readonly<Record<string, ToolOverride>>;
}

export interface RunConfigField {
  readonly is: keyof FieldValues;
  /** Written even with its zero value. */
  readonly always?: true;
}

/** Every field of the document, in written order. */
export const RUN_CONFIG_FIELDS = {
  schema_version: { is: 'text', always: true },
  image: { is: 'text', always: true },
  // Portolan's own: what the user named, with a resolved version.
  run_target: { is: 'text' },
  image_verification: { is: 'text' },
  ca_cert: { is: 'text' },
  stdio_sessions: { is: 'text' },
  max_sessions: { is: 'integer' },
  remote_url: { is: 'text' },
  name: { is: 'text', always: true },
  container_name: { is: 'text' },
  base_name: { is: 'text' },
  transport: { is: 'text', always: true },
  proxy_mode: { is: 'text' },
  host: { is: 'text', always: true },
  port: { is: 'integer', always: true },
  target_host: { is: 'text' },
  target_port: { is: 'integer' },
  // Portolan's own: if they differ from the transport's.
  target_path: { is: 'text' },
  cmd_args: { is: 'texts' },
  env_vars: { is: 'text-map' },
  env_file_dir: { is: 'text' },
  secrets: { is: 'texts' },
  // Portolan's own: they replace `$(TARGET)` at the start.
  inline_secrets: { is: 'texts' },
  volumes: { is: 'texts' },
  publish: { is: 'texts' },
  container_labels: { is: 'text-map' },
  permission_profile: { is: 'profile', always: true },
  permission_profile_name_or_path: { is: 'text' },
  isolate_network: { is: 'truth', always: true },
  allow_docker_gateway: { is: 'truth' },
  ignore_config: { is: 'ignore' },
  group: { is: 'text' },
  trust_proxy_headers: { is: 'truth' },
  strict_protocol_validation: { is: 'truth' },
  stateless: { is: 'truth' },
  session_ttl: { is: 'text' },
  // Portolan's own: shared by several proxies.
  session_store: { is: 'text' },
  session_store_password: { is: 'text' },
  endpoint_prefix: { is: 'text' },
  allowed_origins: { is: 'texts' },
  tools_filter: { is: 'texts' },
  tools_override: { is: 'overrides' },
  oidc_config: { is: 'oidc' },
  token_exchange_config: { is: 'object' },
  remote_auth_config: { is: 'object' },
  // Portolan's own: authenticates to a remote server, instead of a login.
  remote_credentials: { is: 'object' },
  header_forward: { is: 'headers' },
  authz_config: { is: 'object' },
  authz_config_path: { is: 'text' },
  audit_config: { is: 'object' },
  audit_config_path: { is: 'text' },
  telemetry_config: { is: 'object' },
  validating_webhooks: { is: 'webhooks' },
  mutating_webhooks: { is: 'webhooks' },
  // Portolan's own: in order within a slot.
  additional_middleware_configs: { is: 'objects' },
  runtime_config: { is: 'runtime' },
  registry_api_url: { is: 'text' },
  registry_url: { is: 'text' },
  registry_server_name: { is: 'text' },
  debug: { is: 'truth' },
  thv_ca_bundle: { is: 'text' },
  jwks_auth_token_file: { is: 'text' },
  k8s_pod_template_patch: { is: 'text' },
  mcpserver_generation: { is: 'integer' },
  upstream_swap_config: { is: 'object' },
  aws_sts_config: { is: 'object' },
  rate_limit_config: { is: 'object' },
  rate_limit_namespace: { is: 'text' },
  embedded_auth_server_config: { is: 'object' },
  scaling_config: { is: 'object' },
} as const satisfies Readonly<Record<string, RunConfigField>>;

/** They repeat other fields in another form, for older tools. */
export const DERIVED_FIELDS: readonly string[] = ['middleware_configs'];

type Fields = typeof RUN_CONFIG_FIELDS;

/**
 * Everything that a workload runs from, as `export` writes it and `--from-config` reads it. A field without a
 * value has its type's zero value.
 */
export type RunConfig = { readonly [Name in keyof Fields]: FieldValues[Fields[Name]['is']] };

const ZERO = {
  text: '',
  integer: 0,
  truth: false,
  texts: [],
  'text-map': {},
  object: undefined,
  objects: [],
  profile: undefined,
  ignore: undefined,
  runtime: undefined,
  headers: undefined,
  oidc: undefined,
  webhooks: [],
  overrides: {},
} as const satisfies FieldValues;

/** Other fields have their zero value. */
export function createRunConfig(fields: Partial<RunConfig>): RunConfig {
  const zeros = Object.fromEntries(
    Object.entries(RUN_CONFIG_FIELDS).map(([name, { is }]) => [name, ZERO[is]]),
  );
  // Every name of the table has the zero value of its type.
  return { ...(zeros as unknown as RunConfig), schema_version: RUN_CONFIG_VERSION, ...fields };
}
