import type { LoadedPlugin } from './import-plugin.ts';

export type LoadPackage = (packageName: string) => Promise<LoadedPlugin>;

/** Loads each package once. After a failure, the next call retries. */
export function loadOnce(load: LoadPackage): LoadPackage {
  const loading = new Map<string, Promise<LoadedPlugin>>();
  return async (packageName) => {
    const pending = loading.get(packageName) ?? load(packageName);
    loading.set(packageName, pending);
    try {
      return await pending;
    } catch (error) {
      loading.delete(packageName);
      throw error;
    }
  };
}
