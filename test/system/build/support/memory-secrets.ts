import type { OpenSecretStore } from '@portolan/workload';

/** Secrets of a test, with the number of reads. */
export class MemorySecrets {
  readonly values: Map<string, string>;
  looks = 0;

  constructor(values: Readonly<Record<string, string>>) {
    this.values = new Map(Object.entries(values));
  }

  /** Opens the store by any name. The environment has no secrets. */
  open(name: string): OpenSecretStore {
    const find = async (secret: string): Promise<string | undefined> => {
      if (name === 'environment') return undefined;
      this.looks += 1;
      return this.values.get(secret);
    };
    return { name, can: [], store: { find } };
  }
}
