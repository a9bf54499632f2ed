import type { BootOptions, Kernel, PluginObject } from '@portolan/kernel';
import { bootKernel } from '@portolan/kernel/boot';
import { API_VERSION, type Plugin } from '@portolan/plugin-api';

export interface TestKernelOptions
  extends Pick<
    BootOptions,
    'flags' | 'logger' | 'logDestination' | 'debug' | 'clock' | 'nowMs' | 'fetch' | 'signal'
  > {
  /** Plugins under test, as `{ plugin, options, override }` when they need options. */
  readonly plugins?: readonly (Plugin | PluginObject)[];
  /** Configuration keys, which replace default keys as a whole. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly environment?: BootOptions['environment'];
  readonly directory?: string;
}

const nothing = { type: 'object' } as const;

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
          async *readEntries() {},
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
 * Boots a kernel with plugins from values only: it reads no file and nothing of the process. Defaults of
 * `config`: one source `empty`, one registry `main` over it, the auth mode `open`, an in-memory database and
 * free ports. Close the kernel at the end of the test. Throws the errors of `bootKernel`.
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
      ...plugins.map((input) => ('plugin' in input ? input : { plugin: input })),
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
