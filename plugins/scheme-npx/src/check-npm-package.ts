import path from 'node:path';
import type { IndexedPackage, PluginContext, SchemeOptions } from '@portolan/plugin-api';
import { isPortolanError } from '@portolan/plugin-api';
import { packageNotFound } from '@portolan/scheme-kit';
import { describeNpmPackage, type NpmPackage } from './describe-npm-package.ts';
import { programMissing } from './errors.ts';
import type { NpmRegistries } from './npm-registries.ts';

/**
 * Requires that the version exists and has a program. A registry without response or details does not prevent
 * a build. Throws ERR_PACKAGE_NOT_FOUND, ERR_PACKAGE_PROGRAM.
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
  const match = described.versions.get(described.tags.get(version) ?? version);
  if (match === undefined) throw packageNotFound(`${name}@${version}`, described.registry);
  const programs = filesOfPrograms(name, match);
  if (programs === undefined) return;
  const { program } = reference;
  const plain = nameWithoutScope(name);
  const isOne = program === undefined && new Set(programs.values()).size === 1;
  if (!isOne && !programs.has(program ?? plain)) {
    throw programMissing(name, version, { requested: plain, program, programs: [...programs.keys()] });
  }
}

async function unlessSilent(npmPackage: Promise<NpmPackage>): Promise<NpmPackage | undefined> {
  try {
    return await npmPackage;
  } catch (error) {
    if (isPortolanError(error) && error.code === 'ERR_PACKAGE_INDEX') return undefined;
    throw error;
  }
}

/**
 * Returns the files of the package's programs; undefined if a folder contains the programs, because no
 * registry lists them.
 */
function filesOfPrograms(
  name: string,
  match: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, string> | undefined {
  const { bin, directories } = match;
  if (typeof bin === 'string') return new Map([[nameWithoutScope(name), bin]]);
  if (typeof bin === 'object' && bin !== null) {
    return new Map(
      Object.entries(bin).map(([program, file]) => [program, path.posix.normalize(String(file))]),
    );
  }
  return directories === undefined ? new Map() : undefined;
}

function nameWithoutScope(name: string): string {
  return name.replace(/^@[^/]*[/]/, '');
}
