import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder with the programs that `npm test` bundles before the tests (`scripts/tests/bundle-programs.ts`).
 * Only this module reads the variable.
 */
const FOLDER = process.env['PORTOLAN_TEST_PROGRAMS'];

/** Returns the file of a program that tests often start: the bundle if there is one, otherwise the source. */
export function bundledProgram(name: string, source: URL | string): string {
  return FOLDER === undefined ? fileURLToPath(source) : path.join(FOLDER, name, 'index.js');
}
