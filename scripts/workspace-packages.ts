import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '..');

export interface WorkspacePackage {
  readonly name: string;
  readonly version: string;
  /** Absolute. */
  readonly directory: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** Every package and plugin of the tree, those with a private manifest left out, ordered by name. */
export async function listPackages(): Promise<readonly WorkspacePackage[]> {
  const packages: WorkspacePackage[] = [];
  for await (const file of glob(['packages/*/package.json', 'plugins/*/package.json'], { cwd: ROOT })) {
    const manifestFile = path.join(ROOT, file);
    // npm has read this file before, and refused one that is no object.
    const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as Record<string, unknown>;
    if (manifest['private'] === true) continue;
    packages.push({
      name: String(manifest['name']),
      version: String(manifest['version']),
      directory: path.dirname(manifestFile),
      manifest,
    });
  }
  return packages.toSorted((left, right) => left.name.localeCompare(right.name));
}
