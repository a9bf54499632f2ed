import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findInstalled } from './library.ts';

/** Name of the SBOM in `dist`. Scanners of folders and images look for files `*.cdx.json`. */
export const SBOM_FILE = 'sbom.cdx.json';

/** The fields of a CycloneDX document that this module reads. */
interface Sbom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components?: readonly SbomComponent[];
  readonly dependencies?: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface SbomComponent {
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly expression?: string;
    readonly license?: { readonly id?: string };
  }[];
}

/** A library in the bundle of a package. */
export interface BundledLibrary {
  readonly name: string;
  readonly version: string;
  /** SPDX identifier; undefined when the SBOM names another licence. */
  readonly license: string | undefined;
  /** Whether the package itself imports the library. */
  readonly direct: boolean;
  readonly dependencies: readonly BundledLibrary[];
}

/** Reads the libraries in the bundle of a package from the SBOM in a `dist` folder. Throws when there is no SBOM. */
export async function readBundledLibraries(dist: string): Promise<readonly BundledLibrary[]> {
  // SAFETY: written by `writeSbom`.
  const sbom = JSON.parse(await readFile(path.join(dist, SBOM_FILE), 'utf8')) as Sbom;
  const edges = new Map(sbom.dependencies?.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const direct = edges.get(sbom.metadata.component['bom-ref']) ?? [];
  const libraries = new Map<string, BundledLibrary & { dependencies: BundledLibrary[] }>();
  for (const { 'bom-ref': ref, group, name, version, licenses } of sbom.components ?? []) {
    const full = group === undefined ? name : `${group}/${name}`;
    const license = licenses?.[0]?.expression ?? licenses?.[0]?.license?.id;
    libraries.set(ref, { name: full, version, license, direct: direct.includes(ref), dependencies: [] });
  }
  for (const [ref, library] of libraries)
    for (const dependency of edges.get(ref) ?? []) {
      const found = libraries.get(dependency);
      if (found !== undefined) library.dependencies.push(found);
    }
  return [...libraries.values()];
}

/**
 * Makes bundled libraries visible to npm and to scanners of installations. Writes the manifest of each into
 * `node_modules` of the folder, without code. Returns the package's manifest with these libraries as
 * `bundleDependencies`. Throws when a library would be invisible.
 *
 * Installed libraries must not resolve a manifest without code. A library in `dependencies`, or one that
 * those need (`needed`), therefore has no manifest in the top folder. Its manifest is inside the bundled
 * libraries that depend on it. npm alone installs it when the package imports it directly.
 */
export async function addBundledManifests(
  folder: string,
  manifest: Readonly<Record<string, unknown>>,
  libraries: readonly BundledLibrary[],
  needed: ReadonlySet<string> = new Set(),
): Promise<Readonly<Record<string, unknown>>> {
  const installed = Object(manifest['dependencies']) as Record<string, string>;
  const reserved = new Set([...Object.keys(installed), ...needed]);
  const top = libraries.filter(
    (library) =>
      !reserved.has(library.name) &&
      (library.direct || !libraries.some(({ dependencies }) => dependencies.includes(library))),
  );
  const places = placeLibraries(top, reserved);
  const placed = new Set(places.values());
  const hidden = libraries.find((library) => !placed.has(library) && !reserved.has(library.name));
  if (hidden !== undefined)
    throw new Error(`no place for ${hidden.name}: only libraries that npm installs depend on it`);
  if (top.length === 0) return manifest;
  for (const [place, { name, version, license, dependencies }] of places) {
    const versions = Object.fromEntries(dependencies.map((one) => [one.name, one.version]));
    const text = JSON.stringify({ name, version, license, dependencies: versions }, null, 2);
    await mkdir(path.join(folder, place), { recursive: true });
    await writeFile(path.join(folder, place, 'package.json'), `${text}\n`);
  }
  const versions = top.map(({ name, version }) => [name, version] as const);
  return {
    ...manifest,
    dependencies: { ...installed, ...Object.fromEntries(versions) },
    bundleDependencies: top.map(({ name }) => name),
  };
}

/**
 * Returns the libraries that `dependencies` need, directly or indirectly, as installed for the package in
 * `directory`. Excludes workspace packages, which are packed separately.
 */
export async function findNeededLibraries(
  directory: string,
  dependencies: readonly string[],
): Promise<ReadonlySet<string>> {
  const needed = new Set<string>();
  const visit = async (name: string, from: string): Promise<void> => {
    if (name.startsWith('@portolan/') || needed.has(name)) return;
    needed.add(name);
    const folder = findInstalled(from, name);
    if (folder === undefined) return; // for example an optional one of another operating system
    const manifest: unknown = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    for (const inner of Object.keys(Object(Object(manifest).dependencies))) await visit(inner, folder);
  };
  for (const name of dependencies) await visit(name, directory);
  return needed;
}

/**
 * Returns the folders of the libraries, as npm lays them out: at the top, or inside the library that
 * depends on it when the top has another version or the name is reserved.
 */
function placeLibraries(
  top: readonly BundledLibrary[],
  reserved: ReadonlySet<string>,
): ReadonlyMap<string, BundledLibrary> {
  const places = new Map<string, BundledLibrary>();
  for (const library of top) {
    const place = `node_modules/${library.name}`;
    if (places.has(place)) throw new Error(`no place for a second version of ${library.name}`);
    places.set(place, library);
  }
  // The loop also visits the libraries that it adds.
  for (const [place, { dependencies }] of places) {
    for (const dependency of dependencies) {
      const found = resolveFrom(place, dependency.name, places);
      if (found === dependency) continue;
      const isTop = found === undefined && !reserved.has(dependency.name);
      places.set(`${isTop ? '' : `${place}/`}node_modules/${dependency.name}`, dependency);
    }
  }
  return places;
}

/** Returns the library that Node.js finds for a name in a folder: in its `node_modules`, or in those of the folders above. */
function resolveFrom(
  place: string,
  name: string,
  places: ReadonlyMap<string, BundledLibrary>,
): BundledLibrary | undefined {
  const inside = places.get(`${place}/node_modules/${name}`);
  if (inside !== undefined) return inside;
  const above = place.lastIndexOf('/node_modules/');
  return above < 0 ? places.get(`node_modules/${name}`) : resolveFrom(place.slice(0, above), name, places);
}
