import path from 'node:path';
import { pathToFileURL } from 'node:url';

const PRELOADED = pathToFileURL(path.join(import.meta.dirname, 'other-host.ts')).href;

/**
 * Variables that make Portolan take this value for the name of its host. It then cannot see processes of
 * other hosts.
 */
export function onHost(name: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${PRELOADED}`, TEST_HOSTNAME: name };
}
