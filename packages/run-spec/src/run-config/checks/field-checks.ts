import {
  checkEnvironmentVariable,
  checkForwardedHeader,
  checkForwardedHeaderSecret,
  checkLabel,
  parseEnvironmentVariable,
  parseForwardedHeader,
  parseForwardedHeaderSecret,
  parseLabel,
} from '../../parse/key-value.ts';
import { parseHost } from '../../parse/listen-host.ts';
import { formatPublishedPort, parsePublishedPort } from '../../parse/published-port.ts';
import { formatSecretReference, parseSecretReference } from '../../parse/secret-reference.ts';
import { checkWorkloadName, parseGroupName } from '../../target/workload-name.ts';
import type { HeaderForward, IgnoreConfig, OidcConfig, RuntimeConfig } from '../parts.ts';
import { checkBuildVariable, parseBuildVariable } from '../build-variables.ts';
import {
  DRIFT_REACTIONS,
  PROXY_MODES,
  START_MODES,
  STDIO_SESSIONS,
  SUBJECT_TOKEN_TYPES,
  VERIFICATION_MODES,
} from '../choices.ts';
import type { RunConfig, RunConfigField, RUN_CONFIG_FIELDS } from '../run-config.ts';
import * as check from './check-values.ts';
import { document, type FieldCheck, number, pairs, parts, text, texts, truth } from './field-check.ts';

type CheckedAs<Is extends RunConfigField['is']> = Is extends 'text' | 'texts' | 'truth'
  ? Is
  : Is extends 'switch'
    ? 'truth'
    : Is extends 'integer'
      ? 'number'
      : Is extends 'text-map'
        ? 'pairs'
        : 'parts' | 'document';

type FieldChecks = {
  readonly [Name in keyof RunConfig]: FieldCheck & {
    readonly of: CheckedAs<(typeof RUN_CONFIG_FIELDS)[Name]['is']>;
  };
};

type PartName =
  | `ignore_config.${keyof IgnoreConfig}`
  | `runtime_config.${keyof RuntimeConfig}`
  | `header_forward.${keyof HeaderForward}`
  | `oidc_config.${keyof OidcConfig}`;

const anyText = text(check.checkText);
const file = text(check.checkPath);
const variables = pairs(parseEnvironmentVariable, checkEnvironmentVariable);
const telemetry = document('the kind telemetry');

/**
 * Check of every field, used for flags and for run config files. The types require a row for each field, and
 * `FlagRow` accepts no other names.
 */
const TOP_LEVEL: FieldChecks = {
  schema_version: anyText,
  image: text(check.checkImage),
  run_target: anyText,
  image_verification: text((mode, place) => check.parseChoice(mode, place, VERIFICATION_MODES)),
  ca_cert: file,
  stdio_sessions: text((which, place) => check.parseChoice(which, place, STDIO_SESSIONS)),
  max_sessions: number(check.checkMostSessions),
  remote_url: text(check.checkRemoteUrl),
  members: document('readMembers'),
  member_group: text(parseGroupName),
  members_file: file,
  search: document('readSearch'),
  name: text(checkWorkloadName),
  container_name: text(checkWorkloadName),
  base_name: text(checkWorkloadName),
  transport: text(check.checkTransportName),
  proxy_mode: text((mode, place) => check.parseChoice(mode, place, PROXY_MODES)),
  host: text(parseHost),
  port: number(check.checkPort),
  target_host: text(parseHost),
  target_port: number(check.checkPort),
  target_path: text(check.checkTargetPath),
  cmd_args: texts(check.checkText),
  env_vars: variables,
  env_file_dir: text(check.checkUnresolvedPath),
  secrets: texts((reference, place) => formatSecretReference(parseSecretReference(reference, place))),
  inline_secrets: texts((reference, place) => formatSecretReference(parseSecretReference(reference, place))),
  volumes: texts(check.checkVolume),
  publish: texts((port, place) => formatPublishedPort(parsePublishedPort(port, place))),
  container_labels: pairs(parseLabel, checkLabel),
  permission_profile: document('parsePermissionProfile'),
  permission_profile_name_or_path: anyText,
  isolate_network: truth,
  allow_docker_gateway: truth,
  ignore_config: parts,
  group: text(parseGroupName),
  applied_by: text(checkWorkloadName),
  trust_proxy_headers: truth,
  strict_protocol_validation: truth,
  stateless: truth,
  translate_eras: truth,
  session_ttl: text(check.checkDuration),
  stop_after_idle: text(check.checkIdleTime),
  start: text((mode, place) => check.parseChoice(mode, place, START_MODES)),
  session_store: text(check.checkSessionStore),
  session_store_password: text(check.checkSecretReference),
  endpoint_prefix: text(check.checkEndpointPrefix),
  allowed_origins: texts(check.checkOrigin),
  tools_filter: texts(check.checkToolName),
  lock_file: file,
  drift: text((reaction, place) => check.parseChoice(reaction, place, DRIFT_REACTIONS)),
  frozen: truth,
  tools_override: document('parseToolsOverride and readOverrides'),
  oidc_config: parts,
  token_exchange_config: parts,
  remote_auth_config: parts,
  remote_credentials: parts,
  header_forward: parts,
  authz_config: document('the kinds cedar and decision-point'),
  authz_config_path: text(check.checkUnresolvedPath),
  audit_config: document('the kind audit'),
  audit_config_path: text(check.checkUnresolvedPath),
  telemetry_config: parts,
  validating_webhooks: document('readWebhooks'),
  mutating_webhooks: document('readWebhooks'),
  additional_middleware_configs: document('findMiddlewareFaults'),
  runtime_config: parts,
  registry_api_url: anyText,
  registry_url: anyText,
  registry_server_name: anyText,
  debug: truth,
  thv_ca_bundle: file,
  jwks_auth_token_file: file,
  k8s_pod_template_patch: anyText,
  mcpserver_generation: number(check.checkCount),
  upstream_swap_config: document('requireEnforced'),
  aws_sts_config: document('requireEnforced'),
  rate_limit_config: document('the kind rate-limit'),
  rate_limit_namespace: anyText,
  embedded_auth_server_config: document('requireEnforced'),
  scaling_config: document('requireEnforced'),
};

const PARTS = {
  'permission_profile.network.mode': text(check.checkNetworkMode),
  'ignore_config.LoadGlobal': truth,
  'ignore_config.PrintOverlays': truth,
  'runtime_config.builder_image': text(check.checkBaseImage),
  'runtime_config.additional_packages': texts(check.checkSystemPackage),
  'runtime_config.build_with': texts(check.checkRequirement),
  'runtime_config.runtime_env': pairs(parseBuildVariable, checkBuildVariable),
  'header_forward.add_plaintext_headers': pairs(parseForwardedHeader, checkForwardedHeader),
  'header_forward.add_headers_from_secret': pairs(parseForwardedHeaderSecret, checkForwardedHeaderSecret),
  'oidc_config.Issuer': text(check.checkFilled),
  'oidc_config.Audience': text(check.checkFilled),
  'oidc_config.JWKSURL': text(check.checkFilled),
  'oidc_config.ClientID': text(check.checkFilled),
  'oidc_config.ClientSecret': text(check.checkSecret),
  'oidc_config.CACertPath': file,
  'oidc_config.AuthTokenFile': file,
  'oidc_config.AllowPrivateIP': truth,
  'oidc_config.InsecureAllowHTTP': truth,
  'oidc_config.IntrospectionURL': text(check.checkFilled),
  'oidc_config.ResourceURL': text(check.checkFilled),
  'oidc_config.Scopes': texts(check.checkScope),
  'oidc_config.AllowedClients': texts(check.checkFilled),
  'token_exchange_config.token_url': text(check.checkHttpUrl),
  'token_exchange_config.audience': text(check.checkFilled),
  'token_exchange_config.client_id': text(check.checkFilled),
  'token_exchange_config.client_secret': text(check.checkSecret),
  'token_exchange_config.external_token_header_name': text(check.checkTokenHeader),
  'token_exchange_config.scopes': texts(check.checkScope),
  'token_exchange_config.subject_token_type': text((type, place) =>
    check.parseChoice(type, place, SUBJECT_TOKEN_TYPES),
  ),
  'remote_auth_config.enabled': truth,
  'remote_auth_config.issuer': text(check.checkEndpoint),
  'remote_auth_config.authorize_url': text(check.checkEndpoint),
  'remote_auth_config.token_url': text(check.checkEndpoint),
  'remote_auth_config.client_id': text(check.checkWord),
  'remote_auth_config.client_secret': text(check.checkSecret),
  'remote_auth_config.client_secret_file': file,
  'remote_auth_config.bearer_token': text(check.checkSecret),
  'remote_auth_config.bearer_token_file': file,
  'remote_auth_config.scopes': texts(check.checkScope),
  'remote_auth_config.scope_param_name': text(check.checkWord),
  'remote_auth_config.resource': text(check.checkResource),
  'remote_auth_config.callback_port': number(check.checkCallbackPort),
  'remote_auth_config.skip_browser': truth,
  'remote_auth_config.timeout': number(check.checkNanoseconds),
  'remote_credentials.type': text(check.checkWord),
  'telemetry_config.endpoint': telemetry,
  'telemetry_config.insecure': telemetry,
  'telemetry_config.headers': telemetry,
  'telemetry_config.serviceName': telemetry,
  'telemetry_config.customAttributes': telemetry,
  'telemetry_config.environmentVariables': telemetry,
  'telemetry_config.tracingEnabled': telemetry,
  'telemetry_config.metricsEnabled': telemetry,
  'telemetry_config.samplingRate': telemetry,
  'telemetry_config.enablePrometheusMetricsPath': telemetry,
  'telemetry_config.useLegacyAttributes': telemetry,
} as const satisfies Readonly<Record<PartName, FieldCheck>> & Readonly<Record<string, FieldCheck>>;

/** Name of a field, or of a part of one as `FIELD.PART`. */
export type FieldName = keyof RunConfig | keyof typeof PARTS;

export const FIELD_CHECKS: Readonly<Record<FieldName, FieldCheck>> = { ...TOP_LEVEL, ...PARTS };
