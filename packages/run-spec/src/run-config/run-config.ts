import type { JsonObject } from '@portolan/plugin-api';
import type { Members, SearchFields } from '../members/member.ts';
import type { PermissionProfile } from '../permissions/permission-profile.ts';
import type { HeaderForward, IgnoreConfig, OidcConfig, RuntimeConfig, ToolOverride } from './parts.ts';
import type { Webhook } from './webhooks.ts';

/** Format version of written documents. */
export const RUN_CONFIG_VERSION = 'v0.1.0';

/** Value of a field by its type. Values of `object` and `objects` are stored unchanged. */
interface FieldValues {
  readonly text: string;
  readonly integer: number;
  readonly truth: boolean;
  /** Undefined for a default that depends on other fields. */
  readonly switch: boolean | undefined;
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
  readonly members: Members;
  readonly search: SearchFields | undefined;
}

export interface RunConfigField {
  readonly is: keyof FieldValues;
  /** The field is written even with its zero value. */
  readonly always?: true;
}

/** Every field of the document, in written order. */
export const RUN_CONFIG_FIELDS = {
  schema_version: { is: 'text', always: true },
  image: { is: 'text', always: true },
  // Only Portolan has this field: the run target that the user named, with a resolved version.
  run_target: { is: 'text' },
  image_verification: { is: 'text' },
  ca_cert: { is: 'text' },
  stdio_sessions: { is: 'text' },
  max_sessions: { is: 'integer' },
  remote_url: { is: 'text' },
  // Only Portolan has these fields: a virtual server, which has members instead of a server of its own.
  members: { is: 'members' },
  member_group: { is: 'text' },
  members_file: { is: 'text' },
  search: { is: 'search' },
  name: { is: 'text', always: true },
  container_name: { is: 'text' },
  base_name: { is: 'text' },
  transport: { is: 'text', always: true },
  proxy_mode: { is: 'text' },
  host: { is: 'text', always: true },
  port: { is: 'integer', always: true },
  target_host: { is: 'text' },
  target_port: { is: 'integer' },
  // Only Portolan has these fields: they are set if they differ from the transport's defaults.
  target_path: { is: 'text' },
  cmd_args: { is: 'texts' },
  env_vars: { is: 'text-map' },
  env_file_dir: { is: 'text' },
  secrets: { is: 'texts' },
  // Only Portolan has this field: secrets that replace `$(TARGET)` when the workload starts.
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
  // Only Portolan has this field: the workloads file that created the workload.
  applied_by: { is: 'text' },
  trust_proxy_headers: { is: 'truth' },
  strict_protocol_validation: { is: 'truth' },
  stateless: { is: 'truth' },
  // Only Portolan has this field. The default is true for a stdio server, and false for other servers.
  translate_eras: { is: 'switch' },
  session_ttl: { is: 'text' },
  // Only Portolan has this field: the idle time after which the server stops until the next request.
  stop_after_idle: { is: 'text' },
  // Only Portolan has this field: when the server starts. Empty for `eager`.
  start: { is: 'text' },
  // Only Portolan has these fields, for sessions that several proxies share.
  session_store: { is: 'text' },
  session_store_password: { is: 'text' },
  endpoint_prefix: { is: 'text' },
  allowed_origins: { is: 'texts' },
  tools_filter: { is: 'texts' },
  tools_override: { is: 'overrides' },
  // Only Portolan has these fields: where the approved definitions are, and what happens when they change.
  lock_file: { is: 'text' },
  drift: { is: 'text' },
  frozen: { is: 'truth' },
  oidc_config: { is: 'oidc' },
  token_exchange_config: { is: 'object' },
  remote_auth_config: { is: 'object' },
  // Only Portolan has this field: credentials for a remote server instead of a login.
  remote_credentials: { is: 'object' },
  header_forward: { is: 'headers' },
  authz_config: { is: 'object' },
  authz_config_path: { is: 'text' },
  audit_config: { is: 'object' },
  audit_config_path: { is: 'text' },
  telemetry_config: { is: 'object' },
  validating_webhooks: { is: 'webhooks' },
  mutating_webhooks: { is: 'webhooks' },
  // Only Portolan has this field: middleware, in order within each slot.
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

/** Fields that repeat other fields in another form, for older tools. */
export const DERIVED_FIELDS: readonly string[] = ['middleware_configs'];

type Fields = typeof RUN_CONFIG_FIELDS;

/**
 * All settings that a workload runs with, as `export` writes them and `--from-config` reads them. A field
 * without a value has its type's zero value.
 */
export type RunConfig = { readonly [Name in keyof Fields]: FieldValues[Fields[Name]['is']] };

const ZERO = {
  text: '',
  integer: 0,
  truth: false,
  switch: undefined,
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
  members: {},
  search: undefined,
} as const satisfies FieldValues;

/** Creates a run config. Omitted fields have their zero value. */
export function createRunConfig(fields: Partial<RunConfig>): RunConfig {
  const zeros = Object.fromEntries(
    Object.entries(RUN_CONFIG_FIELDS).map(([name, { is }]) => [name, ZERO[is]]),
  );
  // Every name of the table has the zero value of its type.
  return { ...(zeros as unknown as RunConfig), schema_version: RUN_CONFIG_VERSION, ...fields };
}
