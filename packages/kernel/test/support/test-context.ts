import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Plugin } from '@portolan/plugin-api';
import type { BootOptions, Kernel } from '../../src/index.ts';
import { bootKernel } from '../../src/server/boot.ts';
import type { LogDestination } from '../../src/logging/logger.ts';

/** Where the broken plugins lie. */
export const FIXTURES = join(import.meta.dirname, '..', 'fixtures');

/** A source kind `memo` and an auth provider `open`, with a block each. */
export const basePlugin: Plugin = {
  name: 'base-plugin',
  apiVersion: 2,
  contributes: {
    sources: [
      {
        kind: 'memo',
        claimsFrom: 'source',
        config: {
          type: 'object',
          required: ['text'],
          properties: {
            text: { type: 'string', minLength: 1, description: 'What it says.' },
            limit: { type: 'integer', minimum: 1, maximum: 10, default: 5 },
            token: { type: 'string', secret: true, pattern: '^[a-z0-9-]+$' },
            headers: { type: 'object', additionalProperties: { type: 'string', secret: true } },
          },
        },
        create: () => ({
          async *readEntries() {
            // The source has no entries.
          },
        }),
      },
      {
        kind: 'inbox',
        claimsFrom: 'publisher',
        config: { type: 'object' },
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
        hosts: ['registry-server'],
        identifies: false,
        config: { type: 'object', properties: { realm: { type: 'string', default: 'all' } } },
        create: () => ({ verify: (_ctx, next) => next(), identify: () => undefined }),
      },
    ],
  },
};

/** The smallest configuration over the kinds of `basePlugin`; a fresh copy each time. */
export function smallConfig(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    sources: [{ name: 'notes', memo: { text: 'hello' }, syncPolicy: { interval: '5m' } }],
    registries: [{ name: 'main', sources: ['notes'] }],
    auth: { mode: 'open' },
    ...more,
  };
}

/** Collects log lines. */
export class LogLines implements LogDestination {
  readonly #lines: string[] = [];

  write(text: string): void {
    this.#lines.push(text);
  }

  get text(): string {
    return this.#lines.join('');
  }

  get records(): readonly Record<string, unknown>[] {
    return this.#lines.map((line) => JSON.parse(line));
  }
}

/** Options for a kernel over a value, with the base plugin and silent logs. */
export function bootOptions(more: Partial<BootOptions> & { readonly value?: unknown } = {}): BootOptions {
  const { value: _value, pluginObjects = [], ...rest } = more;
  const value = 'value' in more ? more.value : smallConfig();
  return {
    environment: {},
    logDestination: new LogLines(),
    ...(rest.configFile === undefined && rest.searchFrom === undefined
      ? { config: { value, directory: FIXTURES } }
      : {}),
    pluginObjects: [{ plugin: basePlugin }, ...pluginObjects],
    ...rest,
  };
}

/** Boots, runs, and closes. */
export async function withKernel<T>(
  options: BootOptions,
  run: (kernel: Kernel) => T | Promise<T>,
): Promise<T> {
  const kernel = await bootKernel(options);
  try {
    return await run(kernel);
  } finally {
    await kernel.close();
  }
}

/** The error that something throws; fails when it throws none. */
export async function errorOf(run: () => unknown): Promise<Error & { code?: string; hint?: string }> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error(`what was thrown is no error: ${String(error)}`, { cause: error });
  }
  throw new Error('nothing was thrown');
}

/** Temporary folders, removed by `removeAll`. */
export class Folders {
  readonly #paths: string[] = [];

  /** A new folder with these files; paths may have folders in them. */
  async create(files: Readonly<Record<string, string>> = {}): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-kernel-'));
    this.#paths.push(folder);
    for (const [name, text] of Object.entries(files)) {
      const file = join(folder, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    return folder;
  }

  async removeAll(): Promise<void> {
    for (const path of this.#paths.splice(0)) await rm(path, { recursive: true, force: true });
  }
}
