import { compileValidators } from './compile-validators.ts';

/** How the JavaScript of a package is put together. */
export interface BundledPackage {
  /** Ways in, below `src`: what others import, and what is started by its file. */
  readonly entries: readonly string[];
  /** Modules below `src` that run elsewhere by themselves: each becomes one file that imports nothing but Node's modules. */
  readonly programs: readonly string[];
  /** Libraries that become part of it, with all that they need themselves. */
  readonly inlined: readonly string[];
  /** Those of them whose modules do nothing when they are imported: what nobody takes from them by name is left out. */
  readonly pure: readonly string[];
  /** Their files that need large libraries and that nothing here uses: an empty module stands in for each. */
  readonly empty: readonly string[];
  /** What stands in one of their files, once, and what takes its place: the same, and quicker. By file. */
  readonly rewritten: Readonly<Record<string, Rewriting>>;
  /** Modules below `src` whose text is written by the builder. */
  readonly written: Readonly<Record<string, () => string>>;
  /** Modules below `src` that are to load few files; see `joinChunks`. */
  readonly joined: readonly string[];
  /** Lines of libraries that look for files beside them or load what a variable names, by file; see `findBundleFaults`. */
  readonly reviewed: Readonly<Record<string, ReviewedLines>>;
}

export interface Rewriting {
  readonly from: string;
  readonly to: string;
}

export interface ReviewedLines {
  readonly lines: number;
  /** Why it does not matter that the file has moved. */
  readonly because: string;
}

const PLAIN: BundledPackage = {
  entries: ['index.ts'],
  programs: [],
  inlined: [],
  pure: [],
  empty: [],
  rewritten: {},
  written: {},
  joined: [],
  reviewed: {},
};

const ONLY_TYPESCRIPT = 'only for commands in TypeScript, and the compiled ones are JavaScript';
const ONLY_WITHOUT_CONFIG = 'only when no configuration is handed over, and the launcher does';

/**
 * What is inlined: libraries of many small files, each of which takes time to
 * find and to open. What a plugin and the server have to share stays outside,
 * above all the packages of this tree, and so does what is seldom needed.
 */
const BUNDLED: Readonly<Record<string, Partial<BundledPackage>>> = {
  '@portolan/auth-oauth': { inlined: ['jwks-rsa', 'koa-jwt', 'lru-cache'] },
  '@portolan/cli': {
    entries: ['command-line/main.ts', 'supervisor/supervisor.ts', 'commands/**/*.ts'],
    inlined: ['@modelcontextprotocol/client', '@oclif/core', 'uqr'],
    rewritten: {
      // Rules of languages take 6 ms to load, in every command; names of commands are lower-case ASCII.
      '@oclif/core/lib/config/plugin.js': {
        from: '.sort((a, b) => a.id.localeCompare(b.id))',
        to: '.sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)))',
      },
    },
    reviewed: {
      '@modelcontextprotocol/client/dist/ajvProvider-BIwGVY6G.mjs': {
        lines: 3,
        because: 'names in checks that are written as files, which nobody does here',
      },
      '@oclif/core/lib/cache.js': { lines: 1, because: 'its package.json is inlined, and asked first' },
      '@oclif/core/lib/command.js': { lines: 1, because: ONLY_WITHOUT_CONFIG },
      '@oclif/core/lib/config/config.js': { lines: 1, because: ONLY_WITHOUT_CONFIG },
      '@oclif/core/lib/config/ts-path.js': { lines: 4, because: ONLY_TYPESCRIPT },
      '@oclif/core/lib/index.js': { lines: 2, because: 'the check of the Node.js version is switched off' },
      '@oclif/core/lib/main.js': { lines: 1, because: ONLY_WITHOUT_CONFIG },
      '@oclif/core/lib/module-loader.js': { lines: 4, because: 'commands are ES modules at absolute paths' },
      '@oclif/core/lib/util/find-root.js': { lines: 4, because: 'it tries, and the root is handed over' },
      '@oclif/core/lib/util/read-tsconfig.js': { lines: 2, because: ONLY_TYPESCRIPT },
      'ejs/lib/cjs/ejs.js': { lines: 2, because: 'names in the functions that it writes' },
      'fdir/dist/index.cjs': { lines: 1, because: 'it tries; nothing is looked for with patterns' },
      'lilconfig/src/index.js': { lines: 1, because: 'an absolute path' },
    },
  },
  '@portolan/entry-format': {
    inlined: ['ajv', 'ajv-formats'],
    written: { 'schemas/document-validators.ts': compileValidators },
  },
  '@portolan/isolation': { programs: ['relay/relay.ts', 'relay/socket-bridge.ts'] },
  '@portolan/kernel': {
    entries: ['index.ts', 'config/config-thread.ts'],
    joined: [
      'index.ts',
      'workload/open-workload-kernel.ts',
      'server/boot.ts',
      'config/config-thread.ts',
      'logging/logger.ts',
    ],
    inlined: ['ajv', 'ajv-formats', 'cosmiconfig', 'pino', 'tapable', 'yaml'],
    reviewed: {
      'cosmiconfig/dist/loaders.js': { lines: 3, because: 'the kernel brings loaders of its own' },
      'pino/lib/transport.js': { lines: 6, because: 'lines are written by the thread that logs' },
      'thread-stream/index.js': { lines: 1, because: 'lines are written by the thread that logs' },
    },
  },
  '@portolan/outbound': {
    inlined: ['undici'],
    reviewed: {
      'undici/index.js': { lines: 1, because: 'only in a warning that names the file' },
    },
  },
  '@portolan/proxy': { inlined: ['koa'] },
  '@portolan/proxy-authorization-cedar': { inlined: ['lru-cache', 'yaml'] },
  '@portolan/registry': {
    entries: ['index.ts', 'store/sqlite/sqlite-worker.ts'],
    inlined: ['kysely'],
  },
  '@portolan/registry-server': { inlined: ['koa', 'raw-body'] },
  '@portolan/runtime-docker': {
    inlined: ['dockerode'],
    empty: [
      'docker-modem/lib/ssh.js', // ssh2: the ssh program is used
      'dockerode/lib/buildkit.js', // protobufjs: what BuildKit says of a build
      'dockerode/lib/session.js', // gRPC: sessions of BuildKit
    ],
  },
  '@portolan/source-kubernetes': {
    inlined: ['@kubernetes/client-node', 'yaml'],
    pure: ['@kubernetes/client-node'],
    reviewed: {
      'undici/index.js': { lines: 1, because: 'only in a warning that names the file' },
    },
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
  '@portolan/workload': {
    joined: [
      'index.ts',
      'run/run-workload.ts',
      'run/operations/remove-workloads.ts',
      'supervisor/supervise-workload.ts',
      'supervisor/start-steps.ts',
    ],
  },
};

/** How a package is put together, by its name. */
export function bundledPackage(name: string): BundledPackage {
  return { ...PLAIN, ...BUNDLED[name] };
}
