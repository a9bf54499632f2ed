import type {
  BuildInput,
  IndexedPackage,
  PackageReference,
  ContainerEngine,
  Scheme,
  SchemeOptions,
} from '@portolan/plugin-api';
import { formatPackage, textOf } from '@portolan/run-spec';
import type { BuildCredentials } from './build-credentials.ts';
import type { BuildContext, BuildRequest } from './build-request.ts';
import { BuiltIds } from './images/built-ids.ts';
import { findBuilt, findImage } from './images/find-built.ts';
import { BUILT_LABELS } from './images/image-labels.ts';
import { makeRecipe, optionsHash, toBuildInput } from './recipe.ts';
import { VersionMemory } from './version-memory.ts';

export interface SettledVersion {
  readonly reference: PackageReference;
  readonly notes: readonly string[];
}

export interface VersionFacts {
  readonly request: BuildRequest;
  readonly scheme: Scheme;
  readonly runtime: ContainerEngine;
  /** Options of the scheme without secrets. */
  readonly options: SchemeOptions;
  readonly credentials?: BuildCredentials | undefined;
  /** When false, as for a dry run, the looked-up version is not cached, and no secret store is opened. */
  readonly remembers: boolean;
}

/**
 * Returns the package with an exact version: the requested version, a version cached within the last hour, or
 * the result of a look-up. If the look-up fails, returns the version of the last built image, with a note.
 * Throws the errors of the scheme.
 */
export async function settleVersion(facts: VersionFacts, context: BuildContext): Promise<SettledVersion> {
  const { request, scheme, options, credentials, remembers } = facts;
  const { reference } = request;
  if (reference.from === 'folder' || reference.pinned) return { reference, notes: [] };
  const input = inputOf(facts, reference);
  // Registries may have different versions of a package, so their hosts are part of the cache key.
  const hosts = await scheme.reachesHosts(input, options);
  const buildPreparations = credentials === undefined ? [] : [credentials.prepared];
  const question = [request.scheme, reference.name, reference.version, hosts, ...buildPreparations];
  const memory = new VersionMemory(context.directories, context.clock);
  const known = await memory.find(question);
  if (known?.isFresh === true) return { reference: pinned(reference, known.version), notes: [] };
  if (!remembers && credentials?.needsStore === true) {
    const note = `The version of ${formatPackage(reference)} is looked up when it is built, which needs secrets.`;
    return { reference, notes: [note] };
  }
  try {
    const asking = (await credentials?.reveal(options)) ?? options;
    const version = await scheme.resolveVersion(reference, asking);
    if (remembers) await memory.keep(question, version);
    return { reference: pinned(reference, version), notes: [] };
  } catch (thrown) {
    options.signal?.throwIfAborted();
    const error = credentials === undefined ? thrown : await credentials.clean(thrown);
    const last = await lastBuilt(facts, reference, known?.version, new BuiltIds(context.directories));
    if (last === undefined) throw error;
    const note = `The version of ${formatPackage(reference)} could not be looked up (${textOf(error)}); ${last} is used, because it is already built.`;
    return { reference: pinned(reference, last), notes: [note] };
  }
}

function inputOf({ request, options, credentials }: VersionFacts, reference: IndexedPackage): BuildInput {
  return toBuildInput(request, reference, options.caCertificates, credentials?.prepared);
}

function pinned(reference: IndexedPackage, version: string): IndexedPackage {
  return { ...reference, version, pinned: true };
}

/**
 * Returns the cached version if an image of that version exists. Otherwise, if the request names no version
 * or `latest`, returns the version of the newest image.
 */
async function lastBuilt(
  facts: VersionFacts,
  reference: IndexedPackage,
  remembered: string | undefined,
  ids: BuiltIds,
): Promise<string | undefined> {
  const { request, scheme, runtime, options, credentials } = facts;
  const input = inputOf(facts, reference);
  const label = { [BUILT_LABELS.options]: optionsHash(request.scheme, input) };
  const built = await findBuilt(runtime, label, options.signal);
  const isAny = reference.version === undefined || reference.version === 'latest';
  const known = new Set(built.flatMap(({ labels }) => labels[BUILT_LABELS.version] ?? []));
  const rest = isAny ? known : [];
  const candidates = remembered !== undefined && known.has(remembered) ? [remembered, ...rest] : rest;
  for (const version of candidates) {
    const ofVersion = inputOf(facts, pinned(reference, version));
    const recipe = await makeRecipe(request.scheme, ofVersion, scheme, options, credentials?.values);
    if ((await findImage(recipe, runtime, ids, options.signal)).image !== undefined) return version;
  }
  return undefined;
}
