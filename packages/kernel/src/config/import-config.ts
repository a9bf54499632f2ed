import { pathToFileURL } from 'node:url';
import { configCode } from '../errors.ts';

/**
 * The default export of a configuration that is code. Throws ERR_CONFIG_CODE
 * when the file cannot be imported or has no default export.
 */
export async function importConfig(file: string): Promise<unknown> {
  let namespace: object;
  try {
    namespace = await import(pathToFileURL(file).href);
  } catch (error) {
    throw configCode(file, error instanceof Error ? error.message : String(error), error);
  }
  if (!('default' in namespace)) throw configCode(file, 'it has no default export');
  return namespace.default;
}
