// Runs in a worker thread; see `importConfigAgain`.
import { parentPort, workerData } from 'node:worker_threads';
import { describeThrown } from '../faults/describe-thrown.ts';
import type { ImportedConfig } from './import-config.ts';
import { copyPlainData } from './plain-data.ts';

async function importPlain({ url }: { readonly url: string }): Promise<ImportedConfig> {
  try {
    // The type of the module is unknown.
    const namespace = (await import(url)) as object;
    return 'default' in namespace ? copyPlainData(namespace.default) : { lacksDefault: true };
  } catch (error) {
    return { fault: describeThrown(error) };
  }
}

parentPort?.postMessage(await importPlain(workerData));
