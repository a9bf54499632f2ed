/**
 * Imports that a package may have. A row lists all packages of the repository that its `src` may import. Its
 * tests may also import `@portolan/plugin-testing`.
 */
export const IMPORT_TABLE: Readonly<Record<string, readonly string[]>> = {
  '@portolan/plugin-api': [],
  '@portolan/outbound': ['@portolan/plugin-api'],
  '@portolan/entry-format': ['@portolan/plugin-api'],
  '@portolan/authorization': ['@portolan/plugin-api'],
  '@portolan/scheme-kit': ['@portolan/plugin-api', '@portolan/outbound'],
  '@portolan/kernel': ['@portolan/plugin-api', '@portolan/outbound'],
  '@portolan/registry': [
    '@portolan/plugin-api',
    '@portolan/entry-format',
    '@portolan/kernel',
    '@portolan/authorization',
  ],
  '@portolan/registry-server': [
    '@portolan/plugin-api',
    '@portolan/outbound',
    '@portolan/kernel',
    '@portolan/authorization',
    '@portolan/registry',
    '@portolan/lock',
  ],
  '@portolan/oauth-client': ['@portolan/plugin-api', '@portolan/outbound'],
  '@portolan/run-spec': ['@portolan/plugin-api', '@portolan/outbound', '@portolan/entry-format'],
  '@portolan/isolation': ['@portolan/plugin-api', '@portolan/outbound'],
  '@portolan/image-verification': ['@portolan/plugin-api', '@portolan/outbound', '@portolan/run-spec'],
  '@portolan/registry-client': [
    '@portolan/plugin-api',
    '@portolan/outbound',
    '@portolan/entry-format',
    '@portolan/run-spec',
  ],
  '@portolan/mcp-protocol': ['@portolan/plugin-api'],
  '@portolan/mcp-client': ['@portolan/plugin-api', '@portolan/mcp-protocol'],
  '@portolan/lock': ['@portolan/plugin-api', '@portolan/entry-format', '@portolan/mcp-protocol'],
  '@portolan/workload': [
    '@portolan/plugin-api',
    '@portolan/outbound',
    '@portolan/registry-client',
    '@portolan/scheme-kit',
    '@portolan/run-spec',
    '@portolan/isolation',
    '@portolan/image-verification',
    '@portolan/oauth-client',
    '@portolan/lock',
    '@portolan/mcp-protocol',
    '@portolan/mcp-client',
    '@portolan/proxy',
    '@portolan/virtual-server',
  ],
  '@portolan/proxy': [
    '@portolan/plugin-api',
    '@portolan/outbound',
    '@portolan/mcp-protocol',
    '@portolan/mcp-client',
  ],
  '@portolan/virtual-server': [
    '@portolan/plugin-api',
    '@portolan/run-spec',
    '@portolan/mcp-protocol',
    '@portolan/mcp-client',
    '@portolan/proxy',
  ],
  '@portolan/cli': [
    '@portolan/plugin-api',
    '@portolan/outbound',
    '@portolan/entry-format',
    '@portolan/authorization',
    '@portolan/kernel',
    '@portolan/registry',
    '@portolan/registry-server',
    '@portolan/run-spec',
    '@portolan/registry-client',
    '@portolan/lock',
    '@portolan/mcp-protocol',
    '@portolan/mcp-client',
    '@portolan/workload',
  ],
  '@portolan/plugin-testing': ['@portolan/plugin-api', '@portolan/outbound', '@portolan/kernel'],
  '@portolan/create-plugin': [],
};

/**
 * Layers of packages with several, lowest first: folders of `src` and single files in it. A layer may import
 * those before it.
 */
export const WINGS: Readonly<Record<string, readonly string[]>> = {
  '@portolan/kernel': [
    'faults',
    'lifetime',
    'logging',
    'hooks',
    'config',
    'kind-lists',
    'plugins',
    'kinds',
    'validation',
    'server',
    'workload',
    'workload.ts',
    'index.ts',
  ],
  '@portolan/registry': [
    'store',
    'sessions',
    'read',
    'preparation',
    'admin',
    'sync',
    'reconciliation',
    'index.ts',
  ],
  '@portolan/registry-server': [
    'errors.ts',
    'http-errors.ts',
    'parameters',
    'request',
    'listen',
    'responses',
    'metrics',
    'openapi',
    'steps',
    'actions',
    'routes',
    'routes.ts',
    'app.ts',
    'start-registry-server.ts',
    'host',
    'index.ts',
  ],
  '@portolan/registry-client': ['connection', 'lookup', 'management', 'lookup.ts', 'index.ts'],
  '@portolan/isolation': ['errors.ts', 'policy', 'proxy', 'relay', 'gate', 'gateway', 'index.ts'],
  '@portolan/run-spec': [
    'document',
    'parse',
    'permissions',
    'target',
    'members',
    'run-config',
    'registry-entry',
    'settings',
    'change',
    'consent',
    'members-file',
    'workloads-file',
    'entries.ts',
    'members-file.ts',
    'workloads-file.ts',
    'index.ts',
  ],
  '@portolan/lock': ['digest', 'file', 'compare', 'guard', 'index.ts'],
  '@portolan/mcp-client': [
    'message-address.ts',
    'ask-server.ts',
    'channel',
    'stdio',
    'connection',
    'index.ts',
  ],
  '@portolan/proxy': [
    'errors',
    'health',
    'sessions',
    'listen',
    'request',
    'policy',
    'streams',
    'server',
    'steps',
    'modern',
    'bridge',
    'transparent',
    'outgoing',
    'http-backend.ts',
    'app.ts',
    'open-proxy.ts',
    'server-link.ts',
    'index.ts',
  ],
  '@portolan/cli': [
    'terminal',
    'context',
    'plugins',
    'supervisor',
    'publish',
    'init',
    'foreign-command',
    'explain',
    'admin',
    'mcp',
    'virtual-server',
    'service',
    'workloads-file',
    'from-clients',
    'command-line',
    'registry-access',
    'commands',
  ],
  '@portolan/workload': [
    'forwarded-error.ts',
    'state',
    'workload-context.ts',
    'open-engine.ts',
    'groups',
    'clients',
    'secrets',
    'consent',
    'login',
    'registry-login',
    'build',
    'supervisor',
    'run',
    'doctor',
    'build.ts',
    'clients.ts',
    'operations.ts',
    'plan.ts',
    'registry-login.ts',
    'run.ts',
    'secrets.ts',
    'settings.ts',
    'supervisor.ts',
    'update.ts',
    'lock.ts',
    'index.ts',
  ],
};

/** Packages that every plugin of the repository may import. */
export const PLUGIN_MAY_IMPORT: readonly string[] = [
  '@portolan/plugin-api',
  '@portolan/outbound',
  '@portolan/entry-format',
  '@portolan/scheme-kit',
  '@portolan/oauth-client',
];

/** Packages that tests may import in addition to those of their package. */
export const TESTS_MAY_IMPORT: readonly string[] = ['@portolan/plugin-testing'];

/** Packages that only the tests of one package may import. */
export const TESTS_ALSO_IMPORT: Readonly<Record<string, readonly string[]>> = {
  '@portolan/proxy': ['@portolan/mcp-client'],
};

/** Packages that an example may import: those that its author would install. */
export const EXAMPLE_MAY_IMPORT: readonly string[] = ['@portolan/plugin-api', '@portolan/plugin-testing'];

export interface Confinement {
  /** The module and everything below it: `koa` includes `koa/lib/context.js`. */
  readonly module: string;
  readonly to: readonly string[];
  /** Packages that may import its types only. */
  readonly typesTo?: readonly string[];
  /** Whether tests of every package may use it. */
  readonly testsToo?: boolean;
  readonly because: string;
}

const HTTP = 'only the hosts that speak HTTP know Koa; the contract knows it as a type';
const COMMANDS = 'the command line knows oclif, nothing behind it does';
const STORE = 'the registry owns its SQL and its database drivers';

/** Libraries that only one part of the repository may import. */
export const CONFINEMENTS: readonly Confinement[] = [
  {
    module: 'koa',
    to: ['@portolan/registry-server', '@portolan/proxy'],
    typesTo: ['@portolan/plugin-api'],
    testsToo: true,
    because: HTTP,
  },
  { module: 'http-proxy-middleware', to: ['@portolan/proxy'], because: HTTP },
  { module: '@koa/router', to: ['@portolan/registry-server'], because: HTTP },
  {
    module: '@modelcontextprotocol/client',
    to: ['@portolan/cli'],
    testsToo: true,
    because: 'one command speaks to servers as a client; the proxy passes on what others say',
  },
  { module: '@oclif/core', to: ['@portolan/cli'], because: COMMANDS },
  { module: 'kysely', to: ['@portolan/registry'], because: STORE },
  { module: 'pg', to: ['@portolan/registry'], testsToo: true, because: STORE },
  { module: 'node:sqlite', to: ['@portolan/registry'], testsToo: true, because: STORE },
  {
    module: 'undici',
    to: ['@portolan/outbound'],
    testsToo: true,
    because: 'every request that leaves goes through the one fetch that knows limits, trust and proxies',
  },
  {
    module: '@sigstore',
    to: ['@portolan/image-verification'],
    because: 'there is one place where signatures are judged',
  },
  {
    module: 'dockerode',
    to: ['@portolan/runtime-docker'],
    because: 'everything else speaks to a runtime, whichever engine is behind it',
  },
  {
    module: '@redis/client',
    to: ['@portolan/session-store-redis', '@portolan/proxy-rate-limit'],
    testsToo: true,
    because: 'everything else speaks to what is behind the contract of its kind',
  },
  {
    module: '@kubernetes/client-node',
    to: ['@portolan/source-kubernetes'],
    because: 'half a second and 90 MB, for those who read a cluster',
  },
];

/** Files with computed import specifiers, which the test cannot check. */
export const MAY_IMPORT_COMPUTED: readonly string[] = [
  'packages/kernel/src/config/config-thread.ts',
  'packages/kernel/src/config/import-config.ts',
  'packages/kernel/src/plugins/import-plugin.ts',
];
