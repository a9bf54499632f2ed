import { readFile } from 'node:fs/promises';
import path from 'node:path';

interface LockedPackage {
  readonly version?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * Returns the packages with install scripts among a plugin and its dependencies, as `NAME@VERSION`, sorted.
 */
export async function findScriptPackages(folder: string, plugin: string): Promise<readonly string[]> {
  const file = path.join(folder, 'node_modules/.package-lock.json');
  // SAFETY: npm has just written this file.
  const { packages } = JSON.parse(await readFile(file, 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const places = new Set([`node_modules/${plugin}`]);
  for (const place of places) {
    const { dependencies, optionalDependencies, peerDependencies } = packages[place] ?? {};
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    for (const name of names) {
      const match = findPackageFolder(name, place, packages);
      if (match !== undefined) places.add(match);
    }
  }
  return [...places]
    .filter((place) => packages[place]?.hasInstallScript === true)
    .map(
      (place) => `${place.slice(place.lastIndexOf('node_modules/') + 13)}@${packages[place]?.version ?? ''}`,
    )
    .toSorted();
}

/**
 * Returns the folder of a package that another package imports: in the nearest `node_modules`, as Node.js
 * finds it.
 */
function findPackageFolder(
  name: string,
  from: string,
  packages: Readonly<Record<string, unknown>>,
): string | undefined {
  for (
    let place = from;
    place !== '';
    place = place.slice(0, Math.max(place.lastIndexOf('/node_modules/'), 0))
  ) {
    const match = `${place}/node_modules/${name}`;
    if (Object.hasOwn(packages, match)) return match;
  }
  const top = `node_modules/${name}`;
  return Object.hasOwn(packages, top) ? top : undefined;
}
