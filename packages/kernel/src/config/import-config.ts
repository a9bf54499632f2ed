import { pathToFileURL } from 'node:url';
import { describeThrown } from '../describe-thrown.ts';
import { configCode } from '../errors.ts';
import { withinTime } from '../within-time.ts';

/**
 * The default export of a configuration that is code. Throws ERR_CONFIG_CODE
 * when the file cannot be imported within the limit, or has no default export.
 */
export async function importConfig(file: string, limitMs?: number): Promise<unknown> {
  let namespace: object;
  try {
    namespace = await withinTime(() => import(pathToFileURL(file).href), limitMs);
  } catch (error) {
    throw configCode(file, describeThrown(error), error);
  }
  if (!('default' in namespace)) throw configCode(file, 'it has no default export');
  return namespace.default;
}
