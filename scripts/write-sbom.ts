import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import parseLicence from 'spdx-expression-parse';
import { SBOM_FILE } from './bundled-manifests.ts';
import { findInstalled, type Library, readLibrary, resolveLibrary } from './library.ts';
import type { WorkspacePackage } from './workspace-packages.ts';

/**
 * Writes the SBOM of a package: a CycloneDX 1.6 document of the bundled libraries with their versions,
 * licences and dependencies. It has no time and no serial number, so that builds are reproducible.
 */
export async function writeSbom(
  folder: string,
  owner: WorkspacePackage,
  libraries: readonly Library[],
): Promise<void> {
  await writeFile(path.join(folder, SBOM_FILE), `${await sbomText(owner, libraries)}\n`);
}

async function sbomText(owner: WorkspacePackage, libraries: readonly Library[]): Promise<string> {
  const root = component(owner);
  const byDirectory = new Map(libraries.map((library) => [library.directory, library]));
  const components = new Map(libraries.map((library) => [library, component(library)]));
  const indirect = new Set<Library>();
  for (const [library, { dependencies }] of components) {
    for (const found of await bundledDependencies(library, byDirectory)) {
      const dependency = components.get(found);
      if (dependency === undefined) continue;
      dependencies.add(dependency.bomRef);
      indirect.add(found);
    }
  }
  const own = Object.keys(Object(owner.manifest['devDependencies']));
  for (const [library, { bomRef }] of components)
    if (own.includes(library.name) || !indirect.has(library)) root.dependencies.add(bomRef);
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: root }),
    components: new Models.ComponentRepository(components.values()),
  });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return serializer.serialize(bom, { sortLists: true, space: 2 });
}

/**
 * Returns the bundled libraries that a library depends on, directly or through libraries without bundled
 * code, such as pure re-exports.
 */
async function bundledDependencies(
  library: Library,
  bundled: ReadonlyMap<string, Library>,
): Promise<ReadonlySet<Library>> {
  const found = new Set<Library>();
  const passed = new Set<string>();
  const visit = async (from: Library, names: readonly string[]): Promise<void> => {
    for (const name of names) {
      const dependency = resolveLibrary(from.directory, name, bundled);
      if (dependency !== undefined) {
        if (dependency !== library) found.add(dependency);
        continue;
      }
      const directory = findInstalled(from.directory, name);
      if (directory === undefined || passed.has(directory)) continue;
      passed.add(directory);
      const without = await readLibrary(directory);
      await visit(without, without.dependencies);
    }
  };
  await visit(library, [...library.dependencies, ...library.peers]);
  return found;
}

const COMPONENTS = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(
  new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory(),
  new Contrib.License.Factories.LicenseFactory(parseLicence),
);

function component({
  name,
  version,
  manifest,
}: Pick<Library, 'name' | 'version' | 'manifest'>): Models.Component {
  const made = COMPONENTS.makeComponent(manifest, Enums.ComponentType.Library);
  if (made === undefined) throw new Error(`the manifest of ${name} has no valid name`);
  made.purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  made.bomRef.value = made.purl;
  return made;
}
