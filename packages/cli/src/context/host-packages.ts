import { readFileSync, realpathSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from './read-version.ts';

/** A package of this program that plugins may import. */
export interface HostPackage {
  readonly name: string;
  readonly version: string;
}

/**
 * URLs of folders, each with a final slash. In modules below them, `@portolan/*` resolves to this program's
 * own packages.
 */
const FOLDERS = new Set<string>();
let names: ReadonlySet<string> | undefined;

export function hostPackages(): readonly HostPackage[] {
  // SAFETY: this is Portolan's own file.
  const manifest = JSON.parse(readFileSync(path.join(packageFolder(), 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly dependencies: Readonly<Record<string, string>>;
  };
  // All packages of this tree have one version.
  return Object.keys(manifest.dependencies)
    .filter((name) => name.startsWith('@portolan/'))
    .map((name) => ({ name, version: manifest.version }));
}

/**
 * Resolves imports of `@portolan/*` in modules below these folders to the
 * packages of this program, so that a plugin shares its classes with the host
 * and needs no copy of its own. Folders that do not exist are skipped.
 */
export function provideHostPackages(folders: readonly string[]): void {
  for (const folder of folders) {
    const match = realPath(folder);
    if (match !== undefined) FOLDERS.add(pathToFileURL(`${match}${path.sep}`).href);
  }
  if (names !== undefined || FOLDERS.size === 0) return;
  const provided = new Set(hostPackages().map(({ name }) => name));
  names = provided;
  module.registerHooks({
    resolve: (specifier, context, next) => {
      const [name = ''] = /^@portolan\/[^/]+/.exec(specifier) ?? [];
      const isProvided = provided.has(name) && isBelow(context.parentURL);
      return next(specifier, isProvided ? { ...context, parentURL: import.meta.url } : context);
    },
  });
}

function isBelow(url: string | undefined): boolean {
  return url !== undefined && [...FOLDERS].some((folder) => url.startsWith(folder));
}

function realPath(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch (error) {
    // The folder is missing; the code that loads the plugin reports it.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
