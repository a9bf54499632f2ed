import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describeThrown } from '../faults/describe-thrown.ts';
import { configCode, configMisplaced } from './config-errors.ts';
import { findMisplacedModule } from '../faults/find-misplaced-module.ts';
import { withinTime } from '../lifetime/within-time.ts';
import type { PlainData } from './plain-data.ts';

/**
 * Imports a configuration module and returns its default export. Throws ERR_CONFIG_SYNTAX when the import
 * fails or exceeds the time limit, or when there is no default export.
 */
export async function importConfig(file: string, limitMs?: number): Promise<unknown> {
  await requireModuleFolder(file);
  let namespace: object;
  try {
    namespace = await withinTime(() => import(pathToFileURL(file).href), limitMs);
  } catch (error) {
    throw configCode(file, describeThrown(error), error);
  }
  if (!('default' in namespace)) throw configCode(file, 'it has no default export');
  return namespace.default;
}

export type ImportedConfig = PlainData | { readonly lacksDefault: true } | { readonly fault: string };

/**
 * Imports a configuration module again. Node.js caches modules and their imports, so the import runs in a
 * temporary worker thread.
 */
export async function importConfigAgain(file: string, limitMs?: number): Promise<PlainData> {
  await requireModuleFolder(file);
  const entry = import.meta.url.endsWith('.ts') ? './config-thread.ts' : './config-thread.js';
  const url = pathToFileURL(file).href;
  const thread = new Worker(new URL(entry, import.meta.url), { workerData: { url } });
  let imported: ImportedConfig;
  try {
    imported = await withinTime(() => firstMessage(thread), limitMs);
  } catch (error) {
    throw configCode(file, describeThrown(error), error);
  } finally {
    await thread.terminate();
  }
  if ('fault' in imported) throw configCode(file, imported.fault, new Error(imported.fault));
  if ('lacksDefault' in imported) throw configCode(file, 'it has no default export');
  return imported;
}

async function requireModuleFolder(file: string): Promise<void> {
  const packageJson = await findMisplacedModule(file);
  if (packageJson !== undefined) throw configMisplaced(file, packageJson);
}

async function firstMessage(thread: Worker): Promise<ImportedConfig> {
  const { promise, resolve, reject } = Promise.withResolvers<ImportedConfig>();
  thread.once('message', resolve); // config-thread.ts sends only this type
  thread.once('error', reject);
  thread.once('exit', (status) =>
    reject(new Error(`it ended the process with status ${status} during its import`)),
  );
  return await promise;
}
