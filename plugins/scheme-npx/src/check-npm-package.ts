import type { IndexedPackage, PluginContext, SchemeOptions } from '@portolan/plugin-api';
import { isPortolanError } from '@portolan/plugin-api';
import { packageNotFound } from '@portolan/scheme-kit';
import { describeNpmPackage, type NpmPackage } from './describe-npm-package.ts';
import { programMissing } from './errors.ts';
import type { NpmRegistries } from './npm-registries.ts';

/**
 * Sees in what the registry says that there is such a version, and that it has
 * a program. A registry that does not answer, or does not tell, is no reason
 * against a build. Throws ERR_PACKAGE_NOT_FOUND, ERR_PACKAGE_PROGRAM.
 */
export async function checkNpmPackage(
  reference: IndexedPackage,
  registries: NpmRegistries,
  context: Pick<PluginContext, 'openFetch'>,
  options: SchemeOptions,
): Promise<void> {
  const { name, version = 'latest' } = reference;
  const described = await unlessSilent(describeNpmPackage(reference, registries, context, options));
  if (described === undefined) return;
  const found = described.versions.get(described.tags.get(version) ?? version);
  if (found === undefined) throw packageNotFound(`${name}@${version}`, described.registry);
  const programs = namesOfPrograms(name, found);
  const plain = nameWithoutScope(name);
  if (programs !== undefined && programs.length !== 1 && !programs.includes(plain)) {
    throw programMissing(`${name}@${version}`, plain, programs);
  }
}

async function unlessSilent(asked: Promise<NpmPackage>): Promise<NpmPackage | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isPortolanError(error) && error.code === 'ERR_PACKAGE_INDEX') return undefined;
    throw error;
  }
}

/** As the build finds them; undefined where they are what is in a folder, which no registry tells. */
function namesOfPrograms(
  name: string,
  found: Readonly<Record<string, unknown>>,
): readonly string[] | undefined {
  const { bin, directories } = found;
  if (typeof bin === 'string') return [nameWithoutScope(name)];
  if (typeof bin === 'object' && bin !== null) return Object.keys(bin);
  return directories === undefined ? [] : undefined;
}

function nameWithoutScope(name: string): string {
  return name.replace(/^@[^/]*[/]/, '');
}
