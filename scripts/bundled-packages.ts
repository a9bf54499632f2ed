import { compileValidators } from './compile-validators.ts';

/** Bundling options of a package. */
export interface BundledPackage {
  /** Entry points below `src` that `exports` does not list: files that start as a process or thread. */
  readonly entries: readonly string[];
  /** Modules below `src` that run alone: each becomes one file that imports only built-in modules. */
  readonly programs: readonly string[];
  /** Entry points in inlined libraries: from the path below `dist` to the path below `node_modules`. */
  readonly libraryEntries: Readonly<Record<string, string>>;
  /** Libraries that become part of the bundle, with their dependencies. */
  readonly inlined: readonly string[];
  /** Inlined libraries without side effects: esbuild drops modules whose exports nothing imports. */
  readonly pure: readonly string[];
  /** Packages that a library requires and Portolan never uses. An empty module replaces each. */
  readonly unused: readonly string[];
  /** Modules below `src` whose text the build generates. */
  readonly generated: Readonly<Record<string, () => string>>;
}

const DEFAULTS: BundledPackage = {
  entries: [],
  programs: [],
  libraryEntries: {},
  inlined: [],
  pure: [],
  unused: [],
  generated: {},
};

/**
 * Options by package. Libraries of many small files are inlined, because Node.js needs time to find and open
 * each file. Packages that a plugin and the server share (all `@portolan/*`), and libraries that few commands
 * load, are not inlined.
 */
const BUNDLED: Readonly<Record<string, Partial<BundledPackage>>> = {
  '@portolan/auth-oauth': { inlined: ['jwks-rsa', 'koa-jwt', 'lru-cache'] },
  '@portolan/cli': {
    entries: ['command-line/main.ts', 'supervisor/supervisor.ts', 'commands/**/*.ts'],
    libraryEntries: Object.fromEntries(
      ['create', 'index', 'script'].map((command) => [
        `commands/autocomplete/${command}`,
        `@oclif/plugin-autocomplete/lib/commands/autocomplete/${command}.js`,
      ]),
    ),
    inlined: [
      '@modelcontextprotocol/client',
      '@oclif/core',
      '@oclif/plugin-autocomplete',
      '@oclif/plugin-not-found',
      'uqr',
    ],
  },
  '@portolan/entry-format': {
    inlined: ['ajv', 'ajv-formats'],
    generated: { 'schemas/document-validators.ts': compileValidators },
  },
  '@portolan/isolation': { programs: ['relay/relay.ts', 'relay/socket-bridge.ts'] },
  '@portolan/kernel': {
    entries: ['config/config-thread.ts'],
    inlined: ['ajv', 'ajv-formats', 'cosmiconfig', 'pino', 'tapable', 'yaml'],
  },
  '@portolan/outbound': {
    inlined: ['undici'],
  },
  '@portolan/proxy': { inlined: ['koa'] },
  '@portolan/proxy-authorization-cedar': { inlined: ['lru-cache', 'yaml'] },
  '@portolan/registry': {
    entries: ['store/sqlite/sqlite-worker.ts'],
    inlined: ['kysely'],
  },
  '@portolan/registry-server': { inlined: ['koa', 'raw-body'] },
  '@portolan/runtime-docker': {
    inlined: ['dockerode'],
    // BuildKit's sessions (gRPC), its progress (protobufjs) and SSH; the runtime starts the ssh program instead.
    unused: ['@grpc/grpc-js', '@grpc/proto-loader', 'protobufjs', 'ssh2'],
  },
  '@portolan/source-kubernetes': {
    inlined: ['@kubernetes/client-node', 'yaml'],
    pure: ['@kubernetes/client-node'],
  },
  '@portolan/telemetry-otlp': {
    inlined: [
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/otlp-transformer',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-metrics',
      '@opentelemetry/sdk-trace',
    ],
  },
  '@portolan/web-console': {
    programs: ['browser/console-script.ts'],
    inlined: ['markdown-it', 'preact', 'preact-render-to-string', 'sanitize-html'],
  },
};

/** Returns the bundling options of a package by its name. */
export function bundledPackage(name: string): BundledPackage {
  return { ...DEFAULTS, ...BUNDLED[name] };
}
