import { createHash } from 'node:crypto';
import type {
  BuildInput,
  BuildPlan,
  BuildPreparation,
  PackageReference,
  Scheme,
  SchemeOptions,
} from '@portolan/plugin-api';
import {
  type RuntimeConfig,
  checkRuntime,
  findKnownNeeds,
  formatPackage,
  imageNameOfPackage,
  refuseReservedImage,
} from '@portolan/run-spec';
import { findImageReference } from '@portolan/outbound';
import { badBaseImage } from './build-errors.ts';
import type { BuildRequest } from './build-request.ts';
import { type ContextEntry, hashContext, listContext } from './context/context-folder.ts';
import type { BuildHashes } from './images/image-labels.ts';

/** Version of the image layout. Raise it when images change but their Dockerfile stays the same. */
const GENERATOR = 1;

/** Everything that determines an image except its base. */
export interface Recipe {
  readonly scheme: string;
  readonly input: BuildInput;
  readonly plan: BuildPlan;
  readonly entries: readonly ContextEntry[];
  readonly hashes: BuildHashes;
}

/**
 * Returns the build input for a package scheme: the request combined with the packages and variables that a
 * known package needs. Throws ERR_SETTING and ERR_SETTINGS_CONFLICT.
 */
export function toBuildInput(
  request: BuildRequest,
  reference: PackageReference,
  caCertificates: string | undefined,
  prepared?: BuildPreparation,
): BuildInput {
  const { runtimeConfig = NOTHING, buildWith = [], entryArguments = [] } = request;
  const all: RuntimeConfig = {
    ...runtimeConfig,
    build_with: [...new Set([...runtimeConfig.build_with, ...buildWith])],
  };
  // The settings may come from a run config file, which nothing has validated yet.
  checkRuntime(all, request.scheme);
  const needs = findKnownNeeds(request.scheme, formatPackage(reference), all.builder_image);
  return {
    reference,
    baseImage: needs.baseImage === '' ? undefined : needs.baseImage,
    addedPackages: [...new Set([...all.additional_packages, ...needs.packages])],
    buildWith: all.build_with,
    environment: { ...needs.environment, ...all.runtime_env },
    caCertificates,
    ...callerOf(process),
    entryArguments,
    ...(prepared === undefined ? {} : { prepared }),
  };
}

function callerOf({ getuid, getgid }: Pick<NodeJS.Process, 'getuid' | 'getgid'>): Pick<BuildInput, 'caller'> {
  return getuid === undefined || getgid === undefined ? {} : { caller: `${getuid()}:${getgid()}` };
}

const NOTHING: RuntimeConfig = {
  builder_image: '',
  additional_packages: [],
  build_with: [],
  runtime_env: {},
};

/**
 * Plans a build. `values` are the public build variables, which the plan does not contain. Throws the errors
 * of the scheme, ERR_PACKAGE_BUILD and ERR_SETTING.
 */
export async function makeRecipe(
  name: string,
  input: BuildInput,
  scheme: Scheme,
  options: SchemeOptions,
  values: Readonly<Record<string, string>> = {},
): Promise<Recipe> {
  const plan = await scheme.planBuild(input, options);
  for (const image of plan.baseImages) {
    if (findImageReference(image) === undefined) throw badBaseImage(image);
    refuseReservedImage(image, 'a base image');
  }
  const { folder } = plan;
  const { signal } = options;
  const entries = folder === undefined ? [] : await listContext(folder, signal);
  const content = folder === undefined ? '' : await hashContext(folder.source, entries, signal);
  const { dockerfile, buildArguments, files } = plan;
  const { prepared } = input;
  const named = Object.keys(values)
    .toSorted()
    .map((variable) => [variable, values[variable]]);
  const inputs = prepared === undefined ? [] : [prepared, named];
  const recipe = hash([GENERATOR, dockerfile, buildArguments, files, folder?.path, content, ...inputs]);
  return { scheme: name, input, plan, entries, hashes: { recipe, options: optionsHash(name, input) } };
}

/**
 * Returns a hash of the build settings without the package version, so that all versions of a package share
 * the hash.
 */
export function optionsHash(scheme: string, input: BuildInput): string {
  const { reference } = input;
  const named =
    reference.from === 'index'
      ? [reference.name, reference.extras, ...programOf(reference)]
      : [reference.path, ...programOf(reference)];
  return hash([GENERATOR, scheme, named, { ...input, reference: undefined }]);
}

function programOf({ program }: PackageReference): readonly string[] {
  return program === undefined ? [] : [program];
}

export function tagOf(
  { scheme, input, hashes }: Recipe,
  baseIds: readonly string[],
  stateId: string,
): string {
  const { reference } = input;
  const named = reference.from === 'index' ? { ...reference, version: undefined } : reference;
  return `${imageNameOfPackage(scheme, named)}:${hash([hashes.recipe, baseIds, stateId]).slice(0, 16)}`;
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
