import path from 'node:path';
import { pathToFileURL } from 'node:url';

const PRELOADED = pathToFileURL(path.join(import.meta.dirname, 'other-host.ts')).href;

/** Variables with which the program takes this for the name of its machine: what it cannot see of other machines is not seen then. */
export function onHost(name: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${PRELOADED}`, TEST_HOSTNAME: name };
}
