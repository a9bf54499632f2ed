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
    fallback: 'made from what is run',
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
    description: 'secret of the secret store, as environment variable TARGET; repeatable',
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
    description: 'mount a file or folder of this machine, or a named volume of the engine; repeatable',
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
    description: 'what the container may do: none, network, or a JSON file',
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
    description: 'hide what the ignore file in the configuration directory lists (portolanignore)',
    fallback: 'true',
    only: 'container',
    field: 'ignore_config.LoadGlobal',
    setting: { default: true, planned: 'ignore_globally' },
  },
  printResolvedOverlays: {
    flag: 'print-resolved-overlays',
    is: 'truth',
    group: 'WORKLOAD',
    description: 'show which paths of mounted folders are hidden in the container',
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
    description: 'network of the container: host, or the name of one that the engine has',
    fallback: 'bridge',
    helpValue: 'NETWORK',
    only: 'container',
    field: 'permission_profile.network.mode',
  },
  isolateNetwork: {
    flag: 'isolate-network',
    is: 'truth',
    group: 'NETWORK',
    description: 'let the container connect only to what its permission profile allows',
    fallback: 'true',
    only: 'container',
    field: 'isolate_network',
  },
  allowContainerGateway: {
    flag: 'allow-container-gateway',
    is: 'truth',
    group: 'NETWORK',
    description:
      'allow connections to services of this host in an isolated network: any TCP port of host.docker.internal',
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
    description: 'whether the signature of the image has to hold: warn, enabled, disabled',
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
    description: 'certificates of more authorities to trust in builds, as PEM',
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
    description: 'base image for packages, instead of that of their scheme',
    helpValue: 'IMAGE',
    only: 'container',
    field: 'runtime_config.builder_image',
  },
  runtimeAddPackages: {
    flag: 'runtime-add-package',
    is: 'texts',
    group: 'IMAGE',
    description: 'system package to install when a package is built, and where it runs; repeatable',
    helpValue: 'NAME',
    only: 'container',
    field: 'runtime_config.additional_packages',
  },
  buildWith: {
    flag: 'build-with',
    is: 'texts',
    group: 'IMAGE',
    description: 'one more requirement for the build, such as pydantic<2.13; uvx only; repeatable',
    helpValue: 'REQUIREMENT',
    only: 'container',
    field: 'runtime_config.build_with',
  },
  transport: {
    flag: 'transport',
    choices: ['stdio', 'sse', 'streamable-http'],
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description: 'how the server is spoken to: stdio, sse, streamable-http, or a transport of a plugin',
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
    description: 'what the proxy speaks in front of a stdio server: streamable-http, sse (deprecated)',
    fallback: 'streamable-http',
    helpValue: 'MODE',
    field: 'proxy_mode',
  },
  proxyPort: {
    flag: 'proxy-port',
    is: 'integer',
    group: 'TRANSPORT AND PROXY',
    description: 'port of this machine that the proxy listens on',
    fallback: 'a free one',
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
    description: 'host that requests are forwarded to (sse and streamable-http)',
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
    fallback: "the image's only one, else a free one that the server is told",
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
    description: 'path in front of the endpoint URLs that SSE clients are told',
    helpValue: 'PATH',
    field: 'endpoint_prefix',
    setting: { default: '' },
  },
  sessionTtlMs: {
    flag: 'session-ttl',
    is: 'duration',
    group: 'TRANSPORT AND PROXY',
    description:
      'time without a message of the client after which a session ends and its streams close; 0 is the default',
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
    description: 'the server keeps nothing between requests: no sessions, and POST alone',
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
    description: 'whether each session of a stdio server has its own process: own, shared',
    fallback: 'own; shared with --publish',
    helpValue: 'WHICH',
    field: 'stdio_sessions',
  },
  maxSessions: {
    flag: 'max-sessions',
    is: 'integer',
    group: 'TRANSPORT AND PROXY',
    description: 'most sessions of a stdio server at once',
    fallback: '16; 1000 with --stdio-sessions shared',
    helpValue: 'NUMBER',
    field: 'max_sessions',
    setting: { default: undefined },
  },
  trustProxyHeaders: {
    flag: 'trust-proxy-headers',
    is: 'truth',
    group: 'TRANSPORT AND PROXY',
    description: 'believe X-Forwarded-Proto, -Host, -Port and -Prefix of a reverse proxy',
    fallback: 'false',
    field: 'trust_proxy_headers',
    setting: { default: false },
  },
  allowedOrigins: {
    flag: 'allowed-origins',
    is: 'texts',
    group: 'TRANSPORT AND PROXY',
    description: 'one more web origin whose pages may use the proxy and read its answers (CORS); repeatable',
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
    description: 'header to send to the remote server; repeatable',
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
