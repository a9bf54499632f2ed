import type { SecretStore } from '@portolan/plugin-api';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../src/workload-context.ts';
import { ownProcess } from '../../src/state/process-identity.ts';
import { testWorkloadContext } from './test-workload-context.ts';

/** A secret store in memory that supports all operations. */
export class MemoryStore implements SecretStore {
  readonly secrets: Map<string, string>;

  constructor(secrets: Readonly<Record<string, string>> = {}) {
    this.secrets = new Map(Object.entries(secrets));
  }

  async find(name: string): Promise<string | undefined> {
    return await Promise.resolve(this.secrets.get(name));
  }

  async set(name: string, value: string): Promise<void> {
    this.secrets.set(name, value);
    await Promise.resolve();
  }

  async delete(name: string): Promise<boolean> {
    return await Promise.resolve(this.secrets.delete(name));
  }

  async list(): Promise<readonly { readonly name: string }[]> {
    return await Promise.resolve([...this.secrets.keys()].toSorted().map((name) => ({ name })));
  }
}

export interface KeepOptions {
  readonly provider?: string | undefined;
  readonly store?: SecretStore;
  readonly can?: readonly ('set' | 'delete' | 'list')[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Returns a context with two secret stores: the chosen one and the environment. */
export function keepContext(folder: string, options: KeepOptions = {}): WorkloadContext {
  const base = testWorkloadContext(folder);
  const environment: Readonly<Record<string, string | undefined>> = {
    ...base.environment,
    ...options.environment,
  };
  const { provider = 'encrypted', store = new MemoryStore(), can = ['set', 'delete', 'list'] } = options;
  const ofEnvironment: SecretStore = {
    find: (name) => Promise.resolve(environment[`PORTOLAN_SECRET_${name}`]),
  };
  return {
    ...base,
    environment,
    user: { ...base.user, secretsProvider: 'provider' in options ? options.provider : provider },
    kinds: {
      ...base.kinds,
      secretStores: ['encrypted', 'environment', '1password'],
      openSecretStore: (name) =>
        Promise.resolve(
          name === 'environment' ? { name, can: [], store: ofEnvironment } : { name, can, store },
        ),
    },
  };
}

/** Stores a workload whose files say that it is running. */
export async function runningWorkload(
  context: WorkloadContext,
  name: string,
  fields: Partial<RunConfig> = {},
): Promise<string> {
  const url = `http://127.0.0.1:18080/mcp#${name}`;
  const config = createRunConfig({
    name,
    image: 'acme/notes',
    transport: 'streamable-http',
    group: 'default',
    ...fields,
  });
  await context.store.claim(config, await ownProcess());
  await context.store.change(name, (state) => ({ ...state, status: 'running', url }));
  return url;
}
