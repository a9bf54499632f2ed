import { join } from 'node:path';
import type { SecretStoreHostContext } from '@portolan/plugin-api';
import type { ShippedKinds, WorkloadKernel, WorkloadKernelOptions } from '../../src/index.ts';
import { openWorkloadKernel } from '../../src/workload/open-workload-kernel.ts';
import { type Folders, LogLines } from './test-context.ts';

/** The text of a package that brings these kinds; `body` stands before them. */
export function pluginText(name: string, plugin: string, body = ''): string {
  return `${body}\nexport default { name: ${JSON.stringify(name)}, apiVersion: 2, ${plugin} };`;
}

/** A package below `node_modules`, as files. */
export function packageFiles(
  name: string,
  text: string,
  manifest: object | undefined = { plugin: '.', apiVersion: 2 },
): Readonly<Record<string, string>> {
  const description = { name, version: '1.0.0', type: 'module', exports: './index.js', portolan: manifest };
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify(description),
    [`node_modules/${name}/index.js`]: text,
  };
}

const HTTP = `{ carries: 'http', clientPath: '/mcp', prepareContainer: (spec) => spec }`;

export const SHIPPED: ShippedKinds = {
  sources: {},
  authProviders: {},
  middleware: {},
  runtimes: { boxes: 'ships-boxes' },
  transports: { wire: { package: 'ships-wire', carries: 'http' } },
  schemes: { npx: { package: 'ships-npx', packages: 'npm' } },
  secretStores: { '1box': 'ships-stores' },
};

/** Packages that bring what is in `SHIPPED`; each leaves a mark when it is imported. */
export const SHIPPED_FILES: Readonly<Record<string, string>> = {
  ...packageFiles(
    'ships-boxes',
    pluginText(
      'ships-boxes',
      `contributes: { runtimes: [{ kind: 'boxes', config, create }] }`,
      `(globalThis[Symbol.for('importedByTest')] ??= []).push('ships-boxes');
       const config = { type: 'object', properties: {
         memory: { type: 'integer', minimum: 16, default: 64, description: 'x' },
         token: { type: 'string', secret: true, description: 'x' } } };
       const create = (block, context) => {
         const runtime = new Proxy({ runs: 'containers', engine: new Proxy({}, { get: () => () => undefined }), block, directory: context.directory, closed: 0 }, {
           get: (target, part) => part === 'close'
             ? async () => { target.closed += 1; }
             : part in target ? target[part] : part === 'then' ? undefined : () => undefined,
         });
         return runtime;
       };`,
    ),
  ),
  ...packageFiles(
    'ships-wire',
    pluginText(
      'ships-wire',
      `contributes: { transports: [{ kind: 'wire', carries: 'http', config: { type: 'object' }, create: () => (${HTTP}) }] }`,
    ),
  ),
  ...packageFiles(
    'ships-npx',
    pluginText(
      'ships-npx',
      `contributes: { schemes: [{ kind: 'npx', packages: 'npm', config: { type: 'object' }, create: () => ({ planBuild() {} }) }] }`,
    ),
  ),
  ...packageFiles(
    'ships-stores',
    pluginText(
      'ships-stores',
      `contributes: { secretStores: [{ kind: '1box', can: ['list'], config: { type: 'object' }, create: (block, { environment }) => ({
        find: async (name) => environment[name], list: async () => [] }) }] }`,
    ),
  ),
};

export const SECRET_CONTEXT: SecretStoreHostContext = {
  environment: { API_KEY: 'k-1' },
  files: {
    pathOf: (name) => name,
    read: async () => undefined,
    update: async () => undefined,
  },
};

export interface TestWorkload extends Partial<Omit<WorkloadKernelOptions, 'configFile'>> {
  /** Files of the folder, beside the shipped packages. */
  readonly files?: Readonly<Record<string, string>>;
  /** Text of the configuration; left out, there is none. */
  readonly config?: string;
}

/** Opens a kernel over a new folder, runs, and closes. */
export async function withWorkloadKernel<T>(
  folders: Folders,
  { files = {}, config, ...options }: TestWorkload,
  run: (kernel: WorkloadKernel, log: LogLines, folder: string) => T | Promise<T>,
): Promise<T> {
  const written = config === undefined ? {} : { 'portolan.config.yaml': config };
  const folder = await folders.create({ ...SHIPPED_FILES, ...files, ...written });
  const log = new LogLines();
  const kernel = await openWorkloadKernel({
    environment: {},
    shipped: SHIPPED,
    shippedFrom: join(folder, 'host.js'),
    logDestination: log,
    directory: folder,
    ...options,
    ...(config === undefined ? {} : { configFile: join(folder, 'portolan.config.yaml') }),
    ...(options.installed === undefined
      ? {}
      : { installed: options.installed.map((one) => ({ ...one, from: join(folder, one.from) })) }),
  });
  try {
    return await run(kernel, log, folder);
  } finally {
    await kernel.close();
  }
}
