import type { BootOptions, Kernel, PluginObject } from '@portolan/kernel';
import { bootKernel } from '@portolan/kernel/boot';
import { API_VERSION, type Plugin } from '@portolan/plugin-api';

export interface TestKernelOptions
  extends Pick<
    BootOptions,
    'flags' | 'logger' | 'logDestination' | 'debug' | 'clock' | 'nowMs' | 'fetch' | 'signal'
  > {
  /** Plugins under test; with `{ plugin, options, override }` when they need options. */
  readonly plugins?: readonly (Plugin | PluginObject)[];
  /**
   * Keys of the configuration; each takes the place of the one described at
   * `bootTestKernel` as a whole.
   */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Left out: an empty environment, not the one of the process. */
  readonly environment?: BootOptions['environment'];
  /** Folder that relative paths start from. Left out: the working directory. */
  readonly directory?: string;
}

const nothing = { type: 'object' } as const;

/** What the default configuration uses: a source without entries, and a provider that lets everyone in. */
const testPlugin: Plugin = {
  name: '@portolan/plugin-testing',
  apiVersion: API_VERSION,
  contributes: {
    sources: [
      {
        kind: 'empty',
        config: nothing,
        claimsFrom: 'publisher',
        create: () => ({
          async *readEntries() {
            // The source has no entries.
          },
        }),
      },
    ],
    authProviders: [
      {
        kind: 'open',
        config: nothing,
        hosts: ['registry-server'],
        identifies: false,
        create: () => ({ verify: (_ctx, next) => next(), identify: () => undefined }),
      },
    ],
  },
};

/**
 * A kernel with the given plugins, from values only: no file is looked for, and
 * nothing of the process is read. Left out of `config` are one source `empty` of a
 * kind of the same name, one registry `main` over it, the auth mode `open`, a
 * database in memory and listeners on free ports. Logs go nowhere unless a logger
 * or destination is given. Close it at the end of the test. Throws what
 * `bootKernel` throws.
 */
export async function bootTestKernel(options: TestKernelOptions = {}): Promise<Kernel> {
  const { plugins = [], config = {}, environment = {}, directory = process.cwd(), ...rest } = options;
  return await bootKernel({
    logDestination: { write: () => true },
    ...rest,
    environment,
    config: { directory, value: { ...DEFAULTS, ...config } },
    pluginObjects: [
      { plugin: testPlugin },
      ...plugins.map((given) => ('plugin' in given ? given : { plugin: given })),
    ],
  });
}

const DEFAULTS = {
  sources: [{ name: 'empty', empty: {} }],
  registries: [{ name: 'main', sources: ['empty'] }],
  auth: { mode: 'open' },
  database: { url: 'sqlite::memory:' },
  server: { address: '127.0.0.1:0', internalAddress: '127.0.0.1:0' },
};
