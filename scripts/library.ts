import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Installed third-party package. */
export interface Library {
  readonly name: string;
  readonly version: string;
  /** Absolute path. */
  readonly directory: string;
  /** SPDX expression from the manifest; undefined when the manifest has none. */
  readonly licence: string | undefined;
  readonly dependencies: readonly string[];
  readonly peers: readonly string[];
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** Returns the directory of the library that a file belongs to, and the file's path from `node_modules`; undefined for a file of ours. */
export function libraryOf(file: string): { readonly directory: string; readonly path: string } | undefined {
  const found = /^(?<above>.*[\\/]node_modules[\\/])(?<name>(?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.groups;
  if (found === undefined) return undefined;
  const { above = '', name = '' } = found;
  return { directory: above + name, path: file.slice(above.length).split(path.sep).join('/') };
}

/** Reads the manifest of a library. Throws when there is none. */
export async function readLibrary(directory: string): Promise<Library> {
  // SAFETY: npm has installed the library and rejects a manifest that is not an object.
  const manifest = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const { name, version, license, dependencies, peerDependencies } = manifest;
  return {
    name: String(name),
    version: String(version),
    directory,
    licence: typeof license === 'string' ? license : undefined,
    dependencies: Object.keys(Object(dependencies)),
    peers: Object.keys(Object(peerDependencies)),
    manifest,
  };
}

/** Returns the library that Node.js finds when a file of `from` imports `name`; undefined when `libraries` lacks it. */
export function resolveLibrary(
  from: string,
  name: string,
  libraries: ReadonlyMap<string, Library>,
): Library | undefined {
  for (let folder = from; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const found = libraries.get(path.join(folder, 'node_modules', name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the directory of the library that Node.js finds when a file of `from` imports `name`; undefined when it is not installed. */
export function findInstalled(from: string, name: string): string | undefined {
  const folder = path.join(from, 'node_modules', name);
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const above = path.dirname(from);
  return above === from ? undefined : findInstalled(above, name);
}
