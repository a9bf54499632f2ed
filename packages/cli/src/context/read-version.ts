import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';

/** Version of this package; for programs that the command line's own configuration is not loaded in. */
export async function readVersion(): Promise<string> {
  // Our own file.
  const { version } = JSON.parse(await readFile(ownManifest(), 'utf8')) as { readonly version: string };
  return version;
}

/** Where this package lies. */
export function packageFolder(): string {
  return path.dirname(ownManifest());
}

function ownManifest(): string {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) throw new Error('the package of this program has no package.json');
  return file;
}
