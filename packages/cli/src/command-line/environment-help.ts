export type EnvironmentHelp = readonly (readonly [name: string, text: string])[];

const OF_REGISTRY = 'access token, if the registry is on the server of PORTOLAN_URL';

/** Credentials that a workload takes from the environment, when neither flags nor the store have them. */
const CREDENTIALS: EnvironmentHelp = [
  ['PORTOLAN_REMOTE_AUTH_BEARER_TOKEN', 'access token for the remote server'],
  ['PORTOLAN_REMOTE_OAUTH_CLIENT_SECRET', 'client secret for the login at the remote server'],
  ['PORTOLAN_OIDC_CLIENT_SECRET', "client secret for the introspection of callers' tokens"],
  ['PORTOLAN_TOKEN_EXCHANGE_CLIENT_SECRET', 'client secret for the token exchange'],
  ['PORTOLAN_SKIP_OIDC_DISCOVERY', 'true: no OIDC discovery; needs --oidc-jwks-url or an introspection URL'],
];

/** Pace at which the token of a remote workload is renewed after a failure. */
const RENEWING: EnvironmentHelp = [
  ['PORTOLAN_TOKEN_REFRESH_INITIAL_RETRY_INTERVAL', 'first delay after a failed renewal of a token'],
  ['PORTOLAN_TOKEN_REFRESH_MAX_RETRY_INTERVAL', 'maximum delay between two such retries'],
  ['PORTOLAN_TOKEN_REFRESH_MAX_ELAPSED_TIME', 'maximum time of these retries'],
  ['PORTOLAN_TOKEN_REFRESH_MAX_TRIES', 'maximum number of these retries'],
  ['PORTOLAN_TOKEN_AUTH_RETRYING_TICK_INTERVAL', 'delay between two slow retries after them'],
  ['PORTOLAN_TOKEN_AUTH_RETRYING_MAX_ELAPSED', 'time until the workload gives up its login'],
];

/**
 * Variables that commands which start workloads read, and that no flag replaces. `token` is the meaning of
 * PORTOLAN_TOKEN for the command.
 */
const starting = (token: string): EnvironmentHelp => [
  [
    'PORTOLAN_RUNTIME',
    '[default: docker] container runtime: docker (Docker, Podman or Colima, the first that responds), podman, or another runtime of `portolan kinds`',
  ],
  ['PORTOLAN_CONFIG', 'configuration file, when --config is not given'],
  ['PORTOLAN_DEFAULT_REGISTRY', 'default registry if none is set; `off` for none'],
  ['PORTOLAN_REGISTRY_TOKEN_FILE', 'file with the access token for the registry; overrides the login'],
  ['PORTOLAN_TOKEN_FILE', 'file with the access token, for registries on the server of PORTOLAN_URL'],
  ['PORTOLAN_TOKEN', token],
  ['PORTOLAN_SECRETS_PROVIDER', 'secret store; overrides that of the settings'],
  ['PORTOLAN_SECRETS_PASSWORD', 'password of the encrypted secret store'],
  ['PORTOLAN_DISABLE_ENV_FALLBACK', 'true: never read secrets from variables PORTOLAN_SECRET_NAME'],
  ['PORTOLAN_PROXY_REQUEST_TIMEOUT', 'timeout of one request to the server'],
  ['PORTOLAN_HEALTH_CHECK_INTERVAL', '[default: 10s] time between two health checks'],
  ['PORTOLAN_HEALTH_CHECK_PING_TIMEOUT', '[default: 5s] timeout of one health check'],
  ['PORTOLAN_HEALTH_CHECK_RETRY_DELAY', '[default: 5s] time until a failed health check is repeated'],
  [
    'PORTOLAN_HEALTH_CHECK_FAILURE_THRESHOLD',
    '[default: 5] number of failed health checks before the server is restarted',
  ],
  ['PORTOLAN_REMOTE_HEALTHCHECKS', 'true: health checks of remote servers too'],
  ...CREDENTIALS,
  ...RENEWING,
  ['PORTOLAN_GATEWAY_IMAGE', 'image with Node.js for gateways of isolated networks'],
  ['PORTOLAN_PODMAN_SOCKET', 'socket or address of Podman; overrides all other settings of the engine'],
  ['PORTOLAN_DOCKER_SOCKET', 'the same for Docker'],
  ['PORTOLAN_COLIMA_SOCKET', 'the same for Colima'],
  ['PORTOLAN_DATA_DIR', 'folder with the installed plugins'],
  ['PORTOLAN_DEBUG', '1: like --debug'],
];

const LOOKING_UP: EnvironmentHelp = [
  ['PORTOLAN_DEFAULT_REGISTRY', 'default registry if none is set; `off` for none'],
  [
    'PORTOLAN_REGISTRY_TOKEN_FILE',
    'file with the access token for the configured registry; overrides the login',
  ],
  ['PORTOLAN_TOKEN_FILE', 'file with the access token, for registries on the server of PORTOLAN_URL'],
  ['PORTOLAN_TOKEN', OF_REGISTRY],
];

const LISTING: EnvironmentHelp = [['NO_COLOR', 'any value: no colours']];

const SERVING: EnvironmentHelp = [
  ['PORTOLAN_CONFIG', 'configuration file, when --config is not given'],
  ['PORTOLAN_LOG_LEVEL', '[default: info] debug, info, warn, error'],
  ['PORTOLAN_LOG_FORMAT', '[default: pretty on a terminal, else json] json, pretty'],
  [
    'PORTOLAN_DATABASE_URL',
    'overrides `database.url` of the configuration; every scalar setting has such a variable',
  ],
];

const MANAGING: EnvironmentHelp = [
  ['PORTOLAN_URL', 'server, when --url is not given'],
  ['PORTOLAN_TOKEN_FILE', 'file with the access token, when --token-file is not given'],
  ['PORTOLAN_TOKEN', 'access token for that server; overrides the login'],
];

const KEEPING: EnvironmentHelp = [
  ['PORTOLAN_SECRETS_PROVIDER', 'secret store; overrides that of the settings'],
  ['PORTOLAN_SECRETS_PASSWORD', 'password of the encrypted secret store'],
];

const LOGGING_IN: EnvironmentHelp = [['PORTOLAN_URL', 'server, when none is named'], ...KEEPING];

const WHO_AM_I: EnvironmentHelp = [
  ...LOGGING_IN,
  ['PORTOLAN_TOKEN_FILE', 'file with an access token to check instead of the login'],
  ['PORTOLAN_TOKEN', 'access token to check instead of the login'],
];

const INSTALLING: EnvironmentHelp = [
  ['PORTOLAN_DATA_DIR', 'folder in which plugins are installed'],
  ['PORTOLAN_NPM_REGISTRY', 'npm registry of plugins, instead of that of npm'],
];

const SPEAKING: EnvironmentHelp = [
  ['PORTOLAN_TOKEN', 'access token, only sent to workloads that authenticate callers'],
];

/**
 * Variables that the help of each command shows. They are not static fields of the command classes: with one
 * in an intermediate class, oclif does not find the flags that all commands share.
 */
export const ENVIRONMENT: ReadonlyMap<string, EnvironmentHelp> = new Map([
  ...['run', 'plan', 'start', 'restart', 'change', 'apply', 'diff'].map(
    (command) => [command, starting(OF_REGISTRY)] as const,
  ),
  ['update', starting(`${OF_REGISTRY}; also for workloads that authenticate callers`)],
  ...['search', 'registry:list', 'registry:info', 'config:get-registry', 'config:list'].map(
    (command) => [command, LOOKING_UP] as const,
  ),
  ['list', LISTING],
  ['serve', SERVING],
  ...[
    'publish',
    'claims:explain',
    ...['list', 'delete', 'deprecate', 'withdraw', 'restore', 'claims:set', 'claims:get'].map(
      (name) => `entries:${name}`,
    ),
    ...['list', 'show', 'create', 'change', 'remove', 'sync'].map((name) => `sources:${name}`),
    ...['list', 'show', 'create', 'change', 'remove'].map((name) => `registries:${name}`),
  ].map((command) => [command, MANAGING] as const),
  ...['login', 'logout'].map((command) => [`registry:${command}`, LOGGING_IN] as const),
  ['registry:whoami', WHO_AM_I],
  ...['install', 'update', 'uninstall'].map((command) => [`plugins:${command}`, INSTALLING] as const),
  ...['set', 'get', 'list', 'delete', 'import'].map((command) => [`secret:${command}`, KEEPING] as const),
  ...['mcp:tools', 'mcp:prompts', 'mcp:resources', 'mcp:call', 'mcp:read', 'proxy:stdio'].map(
    (command) => [command, SPEAKING] as const,
  ),
]);
