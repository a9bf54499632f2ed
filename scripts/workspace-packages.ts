import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '..');

export interface WorkspacePackage {
  readonly name: string;
  readonly version: string;
  /** Absolute path. */
  readonly directory: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** Returns all published packages and plugins of the repository, sorted by name. */
export async function listPackages(): Promise<readonly WorkspacePackage[]> {
  const packages: WorkspacePackage[] = [];
  for await (const file of glob(['packages/*/package.json', 'plugins/*/package.json'], { cwd: ROOT })) {
    const manifestFile = path.join(ROOT, file);
    // SAFETY: npm rejects a manifest that is not an object.
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
