import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import { cedarOf } from './cedar-of.ts';

/**
 * Rule for one field: returns a sentence about a setting that the Kubernetes resource does not contain;
 * undefined when the resource lacks nothing.
 */
type Missing = (config: RunConfig) => string | undefined;

/**
 * Rule for a field that needs no sentence: the resource contains it, its absence weakens no protection, or it
 * concerns only this machine.
 */
const NOTHING: Missing = () => undefined;

/**
 * Rules by run config field; a new field without a rule does not compile. A protection that the exported
 * resource lacks must have a sentence.
 */
const MISSING: Readonly<Record<keyof RunConfig, Missing>> = {
  schema_version: NOTHING,
  image: ({ runtime_config: runtime, image }) =>
    runtime !== undefined || image.startsWith('portolanlocal/')
      ? 'The image was built on this machine: push it to a registry that the cluster can reach'
      : undefined,
  run_target: NOTHING,
  image_verification: ({ image_verification: mode }) =>
    mode === 'enabled' ? 'Image verification is not exported' : undefined,
  ca_cert: NOTHING,
  stdio_sessions: ({ stdio_sessions: sessions }) =>
    sessions === 'own' ? 'A process per session is not exported: sessions share one' : undefined,
  max_sessions: ifFilled('max_sessions', 'The maximum number of sessions is not exported'),
  // A remote workload cannot be exported.
  remote_url: NOTHING,
  // Nor can a virtual server.
  members: NOTHING,
  member_group: NOTHING,
  members_file: NOTHING,
  search: NOTHING,
  name: NOTHING,
  container_name: NOTHING,
  base_name: NOTHING,
  transport: NOTHING,
  proxy_mode: NOTHING,
  host: NOTHING,
  port: NOTHING,
  target_host: NOTHING,
  target_port: NOTHING,
  target_path: ifFilled('target_path', 'The endpoint path is not exported'),
  cmd_args: NOTHING,
  env_vars: NOTHING,
  env_file_dir: ifFilled('env_file_dir', 'The folder of environment files is not exported'),
  secrets: ({ secrets }) =>
    secrets.length === 0
      ? undefined
      : `Secrets are not exported: ${secrets.map((text) => text.split(',')[0]).join(', ')}`,
  inline_secrets: ({ inline_secrets: secrets }) =>
    secrets.length === 0
      ? undefined
      : `Secrets in arguments are not exported. The cluster can fill $(NAME) from a variable of a Secret: ${secrets.map((text) => text.split(',')[0]).join(', ')}`,
  volumes: ({ volumes }) =>
    volumes.some((text) => text.startsWith('volume://'))
      ? 'Volumes of the engine are not exported: name a claim for persistent storage instead'
      : undefined,
  publish: ifFilled('publish', 'Published ports are not exported'),
  container_labels: NOTHING,
  permission_profile: ifFilled(
    'permission_profile',
    'The permission profile is not translated: the resource names the built-in profile none',
  ),
  permission_profile_name_or_path: NOTHING,
  isolate_network: ifFilled(
    'isolate_network',
    'Network isolation is not exported: the server can reach whatever the cluster allows',
  ),
  allow_docker_gateway: NOTHING,
  ignore_config: ({ ignore_config: ignore, volumes }) =>
    ignore !== undefined && volumes.length > 0
      ? 'Ignore files have no effect in the cluster: the server sees everything in its volumes'
      : undefined,
  group: NOTHING,
  applied_by: NOTHING,
  trust_proxy_headers: NOTHING,
  strict_protocol_validation: ifFilled(
    'strict_protocol_validation',
    'Strict protocol validation is not exported',
  ),
  stateless: NOTHING,
  translate_eras: ({ translate_eras: isOn }) =>
    isOn === undefined ? undefined : 'The translation between protocol revisions is not exported',
  session_ttl: ifFilled('session_ttl', 'The session lifetime is not exported'),
  stop_after_idle: ifFilled('stop_after_idle', 'Stopping an idle server is not exported'),
  start: ({ start }) => (start === 'lazy' ? 'The start with the first request is not exported' : undefined),
  session_store: ifFilled('session_store', 'The session store is not exported'),
  session_store_password: NOTHING,
  endpoint_prefix: ifFilled('endpoint_prefix', 'The endpoint prefix is not exported'),
  allowed_origins: ifFilled('allowed_origins', 'The allowed origins are not exported'),
  tools_filter: ifFilled('tools_filter', 'The tool filter is not exported: clients see and call every tool'),
  tools_override: ({ tools_override: overrides }) =>
    Object.keys(overrides).length > 0 ? 'Tool overrides are not exported' : undefined,
  lock_file: ifFilled('lock_file', 'The lock file is not exported: changed tools are not held back'),
  drift: ifFilled('drift', 'The reaction to changed tools is not exported'),
  frozen: NOTHING, // `lock_file` says it
  oidc_config: ifFilled('oidc_config', 'The OIDC configuration is not exported'),
  token_exchange_config: ifFilled('token_exchange_config', 'The token exchange is not exported'),
  // Remote workloads cannot be exported, and only these use the following two fields.
  remote_auth_config: NOTHING,
  remote_credentials: NOTHING,
  header_forward: ifFilled('header_forward', 'Forwarded headers are not exported'),
  authz_config: missingAuthorization,
  authz_config_path: ({ authz_config: authz, authz_config_path: path }) =>
    authz === undefined && path !== '' ? 'The authorization is not exported' : undefined,
  audit_config: missingAudit,
  audit_config_path: ({ audit_config: audit, audit_config_path: path }) =>
    audit === undefined && path !== '' ? 'The audit log is not exported' : undefined,
  telemetry_config: ifFilled('telemetry_config', 'Telemetry is not exported'),
  validating_webhooks: ifFilled('validating_webhooks', 'Validating webhooks are not exported'),
  mutating_webhooks: ifFilled('mutating_webhooks', 'Mutating webhooks are not exported'),
  additional_middleware_configs: ifFilled(
    'additional_middleware_configs',
    'Proxy middleware is not exported',
  ),
  runtime_config: NOTHING,
  registry_api_url: NOTHING,
  registry_url: NOTHING,
  registry_server_name: NOTHING,
  debug: NOTHING,
  // Both are older names of OIDC settings.
  thv_ca_bundle: NOTHING,
  jwks_auth_token_file: NOTHING,
  k8s_pod_template_patch: ifFilled('k8s_pod_template_patch', 'The pod template patch is not exported'),
  mcpserver_generation: NOTHING,
  upstream_swap_config: ifFilled('upstream_swap_config', 'The token swap is not exported'),
  aws_sts_config: ifFilled('aws_sts_config', 'AWS credentials are not exported'),
  rate_limit_config: ifFilled('rate_limit_config', 'Rate limits are not exported'),
  // The namespace only has an effect together with rate limits, which the rule above covers.
  rate_limit_namespace: NOTHING,
  embedded_auth_server_config: ifFilled(
    'embedded_auth_server_config',
    'The embedded authorization server is not exported',
  ),
  scaling_config: ifFilled('scaling_config', 'The scaling configuration is not exported'),
};

export function notExported(config: RunConfig): readonly string[] {
  return Object.values(MISSING).flatMap((missing) => {
    const what = missing(config);
    return what === undefined ? [] : [`${what}.`];
  });
}

function ifFilled(name: keyof RunConfig, what: string): Missing {
  return (config) => (isAsked(config[name]) ? what : undefined);
}

/**
 * Returns whether a setting has an effect. An empty object has an effect, because it enables its feature with
 * defaults.
 */
function isAsked(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== '' && value !== 0 && value !== false;
}

const EXPORTED_OF_CEDAR: readonly string[] = ['policies', 'entities_json'];

function missingAuthorization({ authz_config: authz }: RunConfig): string | undefined {
  if (authz === undefined) return undefined;
  const cedar = cedarOf(authz);
  if (cedar === undefined)
    return 'The authorization is not exported: callers may do everything that the server can';
  const keys = filledKeys(cedar).filter((key) => !EXPORTED_OF_CEDAR.includes(key));
  if (keys.length === 0) return undefined;
  return `Other settings of the Cedar authorizer are not exported, which changes its decisions: ${keys.join(', ')}`;
}

function missingAudit({ audit_config: audit }: RunConfig): string | undefined {
  const keys = filledKeys(audit).filter((key) => key !== 'enabled');
  if (keys.length === 0) return undefined;
  return `The operator's default audit settings apply; these settings are not exported: ${keys.join(', ')}`;
}

/** Returns the keys with a value; false counts as one, because the default may be true. */
function filledKeys(settings: JsonObject | undefined): readonly string[] {
  return Object.entries(settings ?? {}).flatMap(([key, value]) => {
    const isEmpty = Array.isArray(value) && value.length === 0;
    return isEmpty || value === undefined || value === null || value === '' ? [] : [key];
  });
}
