import type { RunConfig } from '../run-config/run-config.ts';
import {
  allowedHostRule,
  authorizationServers,
  builderImageRule,
  driftRule,
  fetchRule,
  groupRule,
  headerSecretRule,
  hostVariableRule,
  ignoreRule,
  imageRule,
  isolationRule,
  labelRule,
  listenRule,
  mountRule,
  networkModeRule,
  originRule,
  pluginRule,
  privilegedRule,
  publishRule,
  readRule,
  remoteRule,
  type Rule,
  runTargetRule,
  secretRule,
  sendRule,
  switchRule,
  targetHostRule,
  verificationRule,
  volumeRule,
  writtenRule,
} from './setting-rules.ts';
import { showAddress } from './judge-address.ts';

/** Rule of a setting that never widens access and so needs no grant. */
export const NOTHING: Rule = () => undefined;

/** Rules by field. Every field of the run config has a rule here or in `PART_RULES`. */
const FIELD_RULES: { readonly [Field in Exclude<keyof RunConfig, keyof typeof PART_RULES>]: Rule } = {
  schema_version: NOTHING,
  image: imageRule,
  run_target: runTargetRule,
  image_verification: verificationRule,
  ca_cert: readRule(() => ({ line: ' and trusts the certificates in it in builds' })),
  stdio_sessions: NOTHING,
  max_sessions: NOTHING,
  remote_url: remoteRule,
  members: NOTHING, // `findDemands` judges each member as a server of its own
  member_group: groupRule,
  members_file: readRule(() => ({ line: ' for the members, and again whenever it changes' })),
  search: NOTHING,
  name: NOTHING,
  container_name: NOTHING,
  base_name: NOTHING,
  transport: NOTHING,
  proxy_mode: NOTHING,
  host: listenRule,
  port: listenRule,
  target_host: targetHostRule,
  target_port: NOTHING,
  target_path: NOTHING,
  env_file_dir: readRule((config) => ({
    line: ' and gives its variables to the server',
    destination: config.image ?? '',
  })),
  permission_profile_name_or_path: NOTHING, // the document contains the profile itself
  isolate_network: isolationRule,
  allow_docker_gateway: switchRule('isolation', 'reaches the gateway addresses of the container engine'),
  group: NOTHING,
  applied_by: NOTHING, // dropped from the file of another user
  trust_proxy_headers: switchRule('listen', 'believes headers that say who called it'),
  strict_protocol_validation: NOTHING,
  stateless: NOTHING,
  translate_eras: NOTHING,
  session_ttl: NOTHING,
  stop_after_idle: NOTHING,
  start: NOTHING,
  session_store: sendRule('its sessions'),
  session_store_password: NOTHING, // the secret reference in it needs a grant
  endpoint_prefix: NOTHING,
  tools_override: NOTHING,
  lock_file: readRule(() => ({ line: ' for the tools that were approved' })),
  drift: driftRule,
  frozen: NOTHING,
  authz_config_path: NOTHING, // refused elsewhere when the file's content is missing
  audit_config_path: readRule(() => ({ line: ' for the settings of the audit log' })),
  registry_api_url: NOTHING, // records the origin; look-ups use the user's registry
  registry_url: NOTHING,
  registry_server_name: NOTHING,
  debug: NOTHING,
  thv_ca_bundle: readRule(() => ({ line: ' and trusts the certificates in it' })),
  jwks_auth_token_file: readRule((config) => tokenUse(config)),
  // Kept for other tools; Portolan ignores them.
  k8s_pod_template_patch: NOTHING,
  mcpserver_generation: NOTHING,
  upstream_swap_config: NOTHING,
  aws_sts_config: NOTHING,
  rate_limit_namespace: NOTHING,
  embedded_auth_server_config: NOTHING,
  scaling_config: NOTHING,
  remote_credentials: pluginRule,
};

/** Rules of the parts of fields, by path; `*` is any index or name. */
const PART_RULES = {
  cmd_args: { '*': NOTHING },
  env_vars: { '*': NOTHING },
  secrets: { '*': secretRule },
  inline_secrets: { '*': secretRule },
  volumes: { '*': volumeRule },
  publish: { '*': publishRule },
  container_labels: { '*': labelRule },
  allowed_origins: { '*': originRule },
  tools_filter: { '*': NOTHING },
  permission_profile: {
    name: NOTHING,
    'read.*': mountRule(true),
    'write.*': mountRule(false),
    privileged: privilegedRule,
    'network.mode': networkModeRule,
    'network.outbound.insecure_allow_all': NOTHING, // unrestricted traffic is also the default of a run
    'network.outbound.allow_host.*': allowedHostRule,
    'network.outbound.allow_port.*': NOTHING,
    'network.inbound.allow_host.*': NOTHING,
  },
  ignore_config: { LoadGlobal: ignoreRule, PrintOverlays: NOTHING },
  header_forward: { 'add_plaintext_headers.*': NOTHING, 'add_headers_from_secret.*': headerSecretRule },
  runtime_config: {
    builder_image: builderImageRule,
    'additional_packages.*': NOTHING,
    'build_with.*': NOTHING,
    'runtime_env.*': NOTHING,
  },
  oidc_config: {
    Issuer: fetchRule,
    Audience: NOTHING,
    JWKSURL: fetchRule,
    ClientID: NOTHING,
    ClientSecret: NOTHING,
    CACertPath: readRule(() => ({ line: ' and trusts the certificates in it' })),
    AuthTokenFile: readRule((config) => tokenUse(config)),
    AllowPrivateIP: switchRule('connect', 'asks addresses of the private network about callers'),
    InsecureAllowHTTP: switchRule('connect', 'asks about callers without encryption'),
    IntrospectionURL: sendRule('the tokens of callers'),
    ResourceURL: NOTHING,
    'Scopes.*': NOTHING,
    'AllowedClients.*': NOTHING,
  },
  token_exchange_config: {
    token_url: sendRule('the tokens of callers'),
    client_id: NOTHING,
    client_secret: NOTHING,
    audience: NOTHING,
    'scopes.*': NOTHING,
    subject_token_type: NOTHING,
    header_strategy: NOTHING,
    external_token_header_name: NOTHING,
    allow_private_ip: switchRule('connect', 'exchanges tokens at addresses of the private network'),
    insecure_allow_http: switchRule('connect', 'exchanges tokens without encryption'),
  },
  remote_auth_config: {
    enabled: NOTHING,
    client_id: NOTHING,
    client_secret: NOTHING,
    client_secret_file: readRule((config) => sentTo(authorizationServers(config))),
    bearer_token: NOTHING,
    bearer_token_file: readRule((config) => sentTo(showAddress(config.remote_url ?? ''))),
    issuer: fetchRule,
    authorize_url: fetchRule,
    token_url: fetchRule,
    resource: NOTHING,
    'scopes.*': NOTHING,
    scope_param_name: NOTHING,
    'oauth_params.*': NOTHING,
    skip_browser: NOTHING,
    use_pkce: NOTHING,
    timeout: NOTHING,
    callback_port: NOTHING, // the login listener uses loopback only
    'headers.*': NOTHING,
    'env_vars.*': NOTHING,
    published_client: NOTHING, // marks the client ID as the author's
    cached_issuer: fetchRule,
    cached_resource: NOTHING,
    'cached_scopes.*': NOTHING,
    cached_subject: NOTHING,
    cached_cimd_client_id: NOTHING,
    cached_client_id: NOTHING,
    cached_client_secret_ref: NOTHING,
    cached_access_token_ref: NOTHING,
    cached_refresh_token_ref: NOTHING,
    cached_token_expiry: NOTHING,
    cached_reg_token_ref: NOTHING,
    cached_reg_client_uri: fetchRule,
    cached_secret_expiry: NOTHING,
    cached_token_auth_method: NOTHING,
    cached_dcr_callback_port: NOTHING,
  },
  authz_config: {
    version: NOTHING,
    type: NOTHING,
    cedar: NOTHING, // policies only restrict callers
    'pdp.http.url': sendRule('every call with the claims of its caller'),
    'pdp.http.timeout': NOTHING,
    'pdp.http.insecure_skip_verify': switchRule(
      'connect',
      'does not check the certificate of the decision point',
    ),
    'pdp.claim_mapping': NOTHING,
    'pdp.context.include_args': NOTHING,
    'pdp.context.include_operation': NOTHING,
  },
  audit_config: {
    enabled: NOTHING,
    component: NOTHING,
    'eventTypes.*': NOTHING,
    'excludeEventTypes.*': NOTHING,
    includeRequestData: NOTHING,
    includeResponseData: NOTHING,
    detectApplicationErrors: NOTHING,
    maxDataSize: NOTHING,
    maxDelegationDepth: NOTHING,
    maxFileSize: NOTHING,
    maxFiles: NOTHING,
    logFile: writtenRule,
    failClosed: NOTHING,
  },
  telemetry_config: {
    endpoint: sendRule('traces and metrics'),
    serviceName: NOTHING,
    serviceVersion: NOTHING,
    tracingEnabled: NOTHING,
    metricsEnabled: NOTHING,
    samplingRate: NOTHING,
    headers: NOTHING,
    insecure: switchRule('connect', 'sends traces and metrics without encryption'),
    enablePrometheusMetricsPath: NOTHING,
    metricsOnTransportPort: NOTHING,
    prometheusPort: NOTHING, // port for another tool; Portolan does not listen on it
    'environmentVariables.*': hostVariableRule,
    customAttributes: NOTHING,
    useLegacyAttributes: NOTHING,
    caCertPath: readRule(() => ({ line: ' and trusts the certificates in it' })),
  },
  validating_webhooks: webhookRules(),
  mutating_webhooks: webhookRules(),
  rate_limit_config: {
    global: NOTHING,
    shared: NOTHING,
    perUser: NOTHING,
    'tools.*': NOTHING,
    'methods.*': NOTHING,
    namespace: NOTHING,
    'redis.address': sendRule('how often it is called'),
    'redis.password': NOTHING,
    'redis.prefix': NOTHING,
    'redis.timeout': NOTHING,
    'redis.whenAway': NOTHING,
  },
  additional_middleware_configs: { '*': pluginRule },
} as const satisfies { readonly [Field in keyof RunConfig]?: Readonly<Record<string, Rule>> };

function webhookRules(): Readonly<Record<string, Rule>> {
  return {
    '*.name': NOTHING,
    '*.url': sendRule('every call'),
    '*.timeout': NOTHING,
    '*.failure_policy': NOTHING,
    '*.tls_config.ca_bundle_path': readRule(() => ({ line: ' and trusts the certificates in it' })),
    '*.tls_config.client_cert_path': readRule(() => ({ line: ' as the certificate of a webhook' })),
    '*.tls_config.client_key_path': readRule(() => ({ line: ' as the key of a webhook' })),
    '*.tls_config.insecure_skip_verify': switchRule('connect', 'does not check the certificate of a webhook'),
    '*.hmac_secret_ref': (judged) => {
      if (typeof judged.value === 'string' && judged.value.startsWith('/')) HMAC_FILE(judged);
    },
    '*.compat': NOTHING,
  };
}

const HMAC_FILE = readRule(() => ({ line: ' as the key that signs calls of a webhook' }));

export const RUN_CONFIG_RULES: Readonly<Record<string, Rule>> = {
  ...FIELD_RULES,
  ...Object.fromEntries(
    Object.entries<Readonly<Record<string, Rule>>>(PART_RULES).flatMap(([field, parts]) =>
      Object.entries(parts).map(([part, rule]) => [`${field}.${part}`, rule] as const),
    ),
  ),
};

function tokenUse({ oidc_config: oidc }: Readonly<Partial<RunConfig>>): ReturnType<typeof sentTo> {
  return sentTo(showAddress(oidc?.JWKSURL || oidc?.Issuer || 'the issuer of tokens'));
}

function sentTo(destination: string): { readonly line: string; readonly destination: string } {
  return { line: ` and sends it to ${destination}`, destination };
}
