import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm test` has bundled before it starts tests (`scripts/tests/bundle-programs.ts`). Nothing else reads the variable. */
const FOLDER = process.env['PORTOLAN_TEST_PROGRAMS'];

/** The file of a program that tests start many times: bundled where that was done, else as it lies in the tree. */
export function bundledProgram(name: string, source: URL | string): string {
  return FOLDER === undefined ? fileURLToPath(source) : path.join(FOLDER, name, 'index.js');
}
