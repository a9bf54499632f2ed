import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';

/** Version of this package; for programs that the command line's own configuration is not loaded in. */
export async function readVersion(): Promise<string> {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) throw new Error('the package of this program has no package.json');
  // Our own file.
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { readonly version: string };
  return version;
}
