import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';

/** Returns the version of this package, for programs that do not load oclif's configuration. */
export async function readVersion(): Promise<string> {
  // SAFETY: this is Portolan's own file.
  const { version } = JSON.parse(await readFile(ownManifest(), 'utf8')) as { readonly version: string };
  return version;
}

export function packageFolder(): string {
  return path.dirname(ownManifest());
}

function ownManifest(): string {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) throw new Error('the package of this program has no package.json');
  return file;
}
