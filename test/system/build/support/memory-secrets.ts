import type { OpenSecretStore } from '@portolan/workload';

/** Secrets of a test, and how often somebody looked for one. */
export class MemorySecrets {
  readonly values: Map<string, string>;
  looks = 0;

  constructor(values: Readonly<Record<string, string>>) {
    this.values = new Map(Object.entries(values));
  }

  /** The store by any name; the environment has nothing. */
  open(name: string): OpenSecretStore {
    const find = async (secret: string): Promise<string | undefined> => {
      if (name === 'environment') return undefined;
      this.looks += 1;
      return this.values.get(secret);
    };
    return { name, can: [], store: { find } };
  }
}
