import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** A package of others, as it lies in a folder of `node_modules`. */
export interface Library {
  readonly name: string;
  readonly version: string;
  /** Absolute. */
  readonly directory: string;
  /** SPDX, as its manifest says; undefined when it says nothing. */
  readonly licence: string | undefined;
  /** Names of what it cannot do without. */
  readonly dependencies: readonly string[];
  /** Names of what it shares with whoever uses it. */
  readonly peers: readonly string[];
}

/** Where the library lies that a file belongs to, and the path of the file from above it; undefined for a file of ours. */
export function libraryOf(file: string): { readonly directory: string; readonly path: string } | undefined {
  const found = /^(?<above>.*[\\/]node_modules[\\/])(?<name>(?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.groups;
  if (found === undefined) return undefined;
  const { above = '', name = '' } = found;
  return { directory: above + name, path: file.slice(above.length).split(path.sep).join('/') };
}

/** What the manifest of a library says. Throws when it has none. */
export async function readLibrary(directory: string): Promise<Library> {
  // npm has read this file before, and refused one that is no object.
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
  };
}
