import { formatDuration, showDuration } from '../parse/format-duration.ts';
import { VERIFICATION_MODES } from '../run-config/choices.ts';
import { parseWorkloadName } from '../target/workload-name.ts';
import type { ServerSettings } from '../registry-entry/server-settings.ts';
import type { FlagRow, FlagValues } from './flag-row.ts';
import { AUDIT_FLAGS } from './flags/audit-flags.ts';
import { SESSION_STORE_FLAGS } from './flags/session-store-flags.ts';
import { OIDC_FLAGS } from './flags/oidc-flags.ts';
import { AUTHZ_FLAGS } from './flags/authz-flags.ts';
import { TELEMETRY_FLAGS } from './flags/telemetry-flags.ts';
import { REMOTE_AUTH_FLAGS } from './flags/remote-auth-flags.ts';
import { TOOLS_FLAGS } from './flags/tools-flags.ts';
import { WEBHOOK_FLAGS } from './flags/webhook-flags.ts';
import { RATE_LIMIT_FLAGS } from './flags/rate-limit-flags.ts';
import { TOKEN_EXCHANGE_FLAGS } from './flags/token-exchange-flags.ts';
import type { UserSettings } from './user-settings.ts';

/** Default idle time after which a session ends, in milliseconds. */
export const DEFAULT_SESSION_TTL_MS = 2 * 60 * 60_000;

/**
 * Every flag of `run` for what runs, and how, by the name of its field in a run request. The request, the
 * command line, the help, `plan`, the merge of plain settings and the reference page are derived from it: a
 * new flag is a row here, and the code that reads what it sets.
 */
export const RUN_FLAGS = {
  name: {
    flag: 'name',
    is: 'text',
    group: 'WORKLOAD',
    description: 'name of the workload',
    fallback: 'derived from the target',
    helpValue: 'NAME',
    field: 'name',
    convert: (text, place) => parseWorkloadName(text, place).name,
  },
  group: {
    flag: 'group',
    is: 'text',
    group: 'WORKLOAD',
    description: 'group that the workload belongs to',
    fallback: 'default',
    helpValue: 'NAME',
    field: 'group',
    setting: { default: 'default' },
  },
  labels: {
    flag: 'label',
    is: 'texts',
    group: 'WORKLOAD',
    char: 'l',
    description: 'label of the container; repeatable',
    helpValue: 'KEY=VALUE',
    field: 'container_labels',
    skips: 'ERR_LABEL',
  },
  env: {
    flag: 'env',
    is: 'texts',
    group: 'WORKLOAD',
    char: 'e',
    description: 'environment variable of the server; without a value, that of the shell; repeatable',
    helpValue: 'KEY[=VALUE]',
    only: 'container',
    answersEntry: true,
    field: 'env_vars',
    inEntry: 'environmentVariables',
  },
  envFile: {
    flag: 'env-file',
    is: 'text',
    group: 'WORKLOAD',
    description: 'load environment variables from a file',
    helpValue: 'FILE',
    only: 'container',
    answersEntry: true,
    field: 'env_vars',
    names: 'files',
  },
  envFileDir: {
    flag: 'env-file-dir',
    is: 'text',
    group: 'WORKLOAD',
    description: 'load environment variables from all files in a directory, .env included; later names win',
    helpValue: 'DIRECTORY',
    only: 'container',
    answersEntry: true,
    field: 'env_vars',
    names: 'files',
  },
  secrets: {
    flag: 'secret',
    is: 'texts',
    group: 'WORKLOAD',
    description: 'secret of the secret store for the environment variable TARGET; repeatable',
    helpValue: 'NAME,target=TARGET',
    only: 'container',
    answersEntry: true,
    field: 'secrets',
    inEntry: 'environmentVariables that are secret',
  },
  volumes: {
    flag: 'volume',
    is: 'texts',
    group: 'WORKLOAD',
    char: 'v',
    description: 'mount a local file or folder, or a named volume of the engine; repeatable',
    helpValue: 'HOST-PATH|NAME:CONTAINER-PATH[:ro]',
    only: 'container',
    field: 'volumes',
    setting: { default: [] },
  },
  permissionProfile: {
    flag: 'permission-profile',
    choices: ['none', 'network'],
    is: 'text',
    group: 'WORKLOAD',
    description: 'permissions of the container: none, network, or a JSON file',
    fallback: 'that of the registry entry, else network',
    helpValue: 'PROFILE',
    only: 'container',
    field: 'permission_profile',
    names: 'files',
    inEntry: 'permissions',
  },
  ignoreGlobally: {
    flag: 'ignore-globally',
    is: 'truth',
    group: 'WORKLOAD',
    description: 'hide paths listed in the ignore file of the configuration directory (portolanignore)',
    fallback: 'true',
    only: 'container',
    field: 'ignore_config.LoadGlobal',
    setting: { default: true, planned: 'ignore_globally' },
  },
  printResolvedOverlays: {
    flag: 'print-resolved-overlays',
    is: 'truth',
    group: 'WORKLOAD',
    description: 'print which paths of mounted folders are hidden in the container',
    fallback: 'false',
    only: 'container',
    field: 'ignore_config.PrintOverlays',
    setting: { default: false, planned: 'print_resolved_overlays' },
  },
  publish: {
    flag: 'publish',
    is: 'texts',
    group: 'NETWORK',
    char: 'p',
    description: 'publish a port of the container; repeatable',
    helpValue: 'HOST-PORT:CONTAINER-PORT',
    only: 'container',
    field: 'publish',
    setting: { default: [] },
  },
  network: {
    flag: 'network',
    choices: ['host', 'bridge'],
    is: 'text',
    group: 'NETWORK',
    description: 'network of the container: host, or the name of a network of the engine',
    fallback: 'bridge',
    helpValue: 'NETWORK',
    only: 'container',
    field: 'permission_profile.network.mode',
  },
  isolateNetwork: {
    flag: 'isolate-network',
    is: 'truth',
    group: 'NETWORK',
    description: 'limit connections of the container to the hosts in its permission profile',
    fallback: 'true',
    only: 'container',
    field: 'isolate_network',
  },
  allowContainerGateway: {
    flag: 'allow-container-gateway',
    is: 'truth',
    group: 'NETWORK',
    description:
      'permit connections to services of this host in an isolated network: any TCP port of host.docker.internal',
    fallback: 'false',
    only: 'container',
    field: 'allow_docker_gateway',
    setting: { default: false, planned: 'allow_container_gateway' },
  },
  imageVerification: {
    flag: 'image-verification',
    choices: VERIFICATION_MODES,
    is: 'text',
    group: 'IMAGE',
    description: 'verification of the image signature: warn, enabled, disabled',
    fallback: 'warn',
    helpValue: 'MODE',
    only: 'container',
    field: 'image_verification',
    setting: { default: 'warn' },
  },
  caCert: {
    flag: 'ca-cert',
    is: 'text',
    group: 'IMAGE',
    description: 'PEM file with additional trusted authorities for builds',
    helpValue: 'FILE',
    only: 'container',
    field: 'ca_cert',
    setting: {
      default: '',
      user: { by: 'ca_certificate_path', read: ({ caCertificatePath }: UserSettings) => caCertificatePath },
    },
  },
  runtimeImage: {
    flag: 'runtime-image',
    is: 'text',
    group: 'IMAGE',
    description: 'base image for package builds, instead of that of their scheme',
    helpValue: 'IMAGE',
    only: 'container',
    field: 'runtime_config.builder_image',
  },
  runtimeAddPackages: {
    flag: 'runtime-add-package',
    is: 'texts',
    group: 'IMAGE',
    description: 'system package to install in a package build and its image; repeatable',
    helpValue: 'NAME',
    only: 'container',
    field: 'runtime_config.additional_packages',
  },
  buildWith: {
    flag: 'build-with',
    is: 'texts',
    group: 'IMAGE',
    description: 'additional requirement for the build, such as pydantic<2.13; uvx only; repeatable',
    helpValue: 'REQUIREMENT',
    only: 'container',
    field: 'runtime_config.build_with',
  },
  transport: {
    flag: 'transport',
    choices: ['stdio', 'sse', 'streamable-http'],
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description: 'transport of the server: stdio, sse, streamable-http, or a transport of a plugin',
    fallback: 'that of the registry entry, else by rule',
    helpValue: 'TRANSPORT',
    field: 'transport',
    inEntry: 'transport.type',
  },
  proxyMode: {
    flag: 'proxy-mode',
    choices: ['streamable-http', 'sse'],
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description: 'transport of the proxy in front of a stdio server: streamable-http, sse (deprecated)',
    fallback: 'streamable-http',
    helpValue: 'MODE',
    field: 'proxy_mode',
  },
  proxyPort: {
    flag: 'proxy-port',
    is: 'integer',
    group: 'TRANSPORT AND PROXY',
    description: 'local port that the proxy listens on',
    fallback: 'a free port',
    helpValue: 'PORT',
    field: 'port',
    setting: { default: undefined },
  },
  host: {
    flag: 'host',
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description: 'address or host name that the proxy listens on',
    fallback: '127.0.0.1',
    helpValue: 'HOST',
    field: 'host',
    setting: { default: '127.0.0.1' },
  },
  targetHost: {
    flag: 'target-host',
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description: 'host that receives the requests (sse and streamable-http)',
    fallback: '127.0.0.1',
    helpValue: 'HOST',
    field: 'target_host',
    only: 'container',
  },
  targetPort: {
    flag: 'target-port',
    is: 'integer',
    group: 'TRANSPORT AND PROXY',
    description: 'port that the container listens on (sse and streamable-http)',
    fallback: "the image's only port, else a free port that the server receives",
    helpValue: 'PORT',
    field: 'target_port',
    inEntry: 'transport.url, target_port',
    only: 'container',
  },
  targetPath: {
    flag: 'target-path',
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description: 'path of the endpoint in the container (sse and streamable-http)',
    fallback: '/mcp, with sse /sse',
    helpValue: 'PATH',
    field: 'target_path',
    inEntry: 'transport.url',
    only: 'container',
  },
  endpointPrefix: {
    flag: 'endpoint-prefix',
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description: 'path in front of the endpoint URLs for SSE clients',
    helpValue: 'PATH',
    field: 'endpoint_prefix',
    setting: { default: '' },
  },
  sessionTtlMs: {
    flag: 'session-ttl',
    is: 'duration',
    group: 'TRANSPORT AND PROXY',
    description:
      'time without a message of the client after which a session ends and its streams close; 0: the default',
    fallback: '2h, and an open stream keeps the session',
    field: 'session_ttl',
    setting: {
      default: 0,
      write: (ms: number) => (ms === 0 ? '' : formatDuration(ms)),
      show: (ms: number) => showDuration(ms === 0 ? DEFAULT_SESSION_TTL_MS : ms),
    },
  },
  ...SESSION_STORE_FLAGS,
  stateless: {
    flag: 'stateless',
    is: 'truth',
    group: 'TRANSPORT AND PROXY',
    description: 'treat the server as stateless: no sessions, only POST',
    fallback: 'false',
    field: 'stateless',
    inEntry: 'stateless',
    setting: { default: false, entry: ({ stateless }: ServerSettings) => stateless },
  },
  stdioSessions: {
    flag: 'stdio-sessions',
    choices: ['own', 'shared'],
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description: 'process per session of a stdio server, or one for all: own, shared',
    fallback: 'own; shared with --publish',
    helpValue: 'WHICH',
    field: 'stdio_sessions',
  },
  maxSessions: {
    flag: 'max-sessions',
    is: 'integer',
    group: 'TRANSPORT AND PROXY',
    description: 'maximum number of concurrent sessions of a stdio server',
    fallback: '16; 1000 with --stdio-sessions shared',
    helpValue: 'NUMBER',
    field: 'max_sessions',
    setting: { default: undefined },
  },
  trustProxyHeaders: {
    flag: 'trust-proxy-headers',
    is: 'truth',
    group: 'TRANSPORT AND PROXY',
    description: 'trust X-Forwarded-Proto, -Host, -Port and -Prefix of a reverse proxy',
    fallback: 'false',
    field: 'trust_proxy_headers',
    setting: { default: false },
  },
  allowedOrigins: {
    flag: 'allowed-origins',
    is: 'texts',
    group: 'TRANSPORT AND PROXY',
    description:
      'additional web origin whose pages may use the proxy and read its responses (CORS); repeatable',
    helpValue: 'ORIGIN',
    field: 'allowed_origins',
    setting: { default: [] },
  },
  ...TOOLS_FLAGS,
  ...WEBHOOK_FLAGS,
  ...RATE_LIMIT_FLAGS,
  ...TOKEN_EXCHANGE_FLAGS,
  ...OIDC_FLAGS,
  ...AUTHZ_FLAGS,
  ...REMOTE_AUTH_FLAGS,
  remoteForwardHeaders: {
    flag: 'remote-forward-headers',
    is: 'texts',
    group: 'REMOTE SERVER',
    description: 'header for requests to the remote server; repeatable',
    helpValue: 'NAME=VALUE',
    only: 'remote',
    field: 'header_forward.add_plaintext_headers',
    inEntry: 'headers of the remote',
  },
  remoteForwardHeadersSecret: {
    flag: 'remote-forward-headers-secret',
    is: 'texts',
    group: 'REMOTE SERVER',
    description: 'header whose value is a secret of the secret store; repeatable',
    helpValue: 'NAME=SECRET',
    only: 'remote',
    field: 'header_forward.add_headers_from_secret',
    inEntry: 'headers of the remote that are secret',
  },
  ...AUDIT_FLAGS,
  ...TELEMETRY_FLAGS,
} as const satisfies Readonly<Record<string, FlagRow>>;

type Rows = typeof RUN_FLAGS;
export type RunFlagName = keyof Rows;

/** Values as typed, except numbers, durations (milliseconds) and booleans. */
export type RunFlags = { readonly [Name in RunFlagName]?: FlagValues[Rows[Name]['is']] };

/** The names of all flags. */
export const RUN_FLAG_NAMES = Object.keys(RUN_FLAGS) as readonly RunFlagName[]; // the keys of the table

/** Returns a flag as typed, for messages. */
export function typedFlag(name: RunFlagName): string {
  return `--${RUN_FLAGS[name].flag}`;
}

/** Returns a row with its general type. */
export function flagRow(name: RunFlagName): FlagRow {
  return RUN_FLAGS[name];
}
