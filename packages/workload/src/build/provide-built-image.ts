import path from 'node:path';
import type { ContainerEngine, Scheme, SchemeOptions } from '@portolan/plugin-api';
import { formatPackage } from '@portolan/run-spec';
import { withLock } from '../state/file-lock.ts';
import { BuildCredentials } from './build-credentials.ts';
import { baseImageRunsSteps, integrityChanged } from './build-errors.ts';
import type { BuildContext, BuildOptions, BuildRequest, BuiltImage } from './build-request.ts';
import { BuiltIds } from './images/built-ids.ts';
import { findById, findImage, type BuiltImageMatch } from './images/find-built.ts';
import { readCertificates } from './read-certificates.ts';
import { makeRecipe, type Recipe, tagOf, toBuildInput } from './recipe.ts';
import { runBuild } from './run-build.ts';
import { settleVersion } from './settle-version.ts';
import { buildsFolder } from './version-memory.ts';
import { openEngine } from '../open-engine.ts';

/**
 * Maximum wait for the lock in milliseconds. It exceeds the duration of any build, so that this process waits
 * for a build in another process.
 */
const LOCK_MS = 60 * 60 * 1000;

/**
 * Returns the existing image of a package, or builds it under a lock. A failed or aborted build leaves
 * nothing. Throws ERR_PACKAGE_BUILD, ERR_PACKAGE_NOT_FOUND, ERR_PACKAGE_INDEX, ERR_SETTING, and the errors of
 * the scheme, the secret store and the engine.
 */
export async function provideBuiltImage(
  request: BuildRequest,
  context: BuildContext,
  options: BuildOptions = {},
): Promise<BuiltImage> {
  const { signal, onProgress } = options;
  const prepared = await prepareBuild(request, context, { remembers: true, signal });
  const { recipe, runtime, scheme, schemeOptions, credentials, notes } = prepared;
  const ids = new BuiltIds(context.directories);
  const build = await findImage(recipe, runtime, ids, signal);
  const settled = { package: recipe.input.reference };
  const take = (image: BuiltImageMatch): BuiltImage => ({
    ...settled,
    reference: image.reference,
    id: image.id,
    built: false,
    notes,
  });
  if (build.image !== undefined) return take(build.image);
  const asking = (await credentials?.reveal(schemeOptions)) ?? schemeOptions;
  await checkPackage(prepared, asking);
  await checkIntegrity(request, prepared, asking);
  const baseIds: string[] = [];
  for (const base of recipe.plan.baseImages) {
    const more = {
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined ? {} : { onProgress }),
    };
    const image = await runtime.provideImage(base, { pull: 'missing', ...more });
    if (image.onBuild.length > 0) throw baseImageRunsSteps(base, image.onBuild);
    baseIds.push(image.id);
  }
  const tag = tagOf(recipe, baseIds, ids.stateId);
  const what = `${request.scheme}://${formatPackage(recipe.input.reference)}`;
  const input = await credentials?.open(signal);
  const hosts = await scheme.reachesHosts(recipe.input, asking);
  const lock = path.join(buildsFolder(context.directories), `${tag.slice(tag.lastIndexOf(':') + 1)}.lock`);
  return await withLock(
    lock,
    async () => {
      const other = await findById(tag, runtime, ids, signal);
      if (other !== undefined) return take(other);
      const job = { recipe, what, tag, hosts, runtime, credentials: input };
      const built = await runBuild(job, context, options);
      await ids.keep(tag, built.image.id);
      const all = [...notes, ...built.notes];
      return { ...settled, reference: tag, id: built.image.id, built: true, notes: all };
    },
    { timeoutMs: LOCK_MS, ...(signal === undefined ? {} : { signal }) },
  );
}

/** Checks that the package exists in its index, before any image is pulled or built. */
async function checkPackage(
  { recipe, scheme, credentials }: PreparedBuild,
  asking: SchemeOptions,
): Promise<void> {
  const { reference } = recipe.input;
  if (reference.from !== 'index') return;
  try {
    await scheme.checkPackage?.(reference, asking);
  } catch (error) {
    asking.signal?.throwIfAborted();
    throw credentials === undefined ? error : await credentials.clean(error);
  }
}

/** Throws ERR_DRIFT_REFUSED unless the index has the hash that the lock file names. */
async function checkIntegrity(
  { integrity: expected, scheme: name }: BuildRequest,
  { recipe, scheme, credentials }: PreparedBuild,
  asking: SchemeOptions,
): Promise<void> {
  const { reference } = recipe.input;
  if (expected === undefined || reference.from !== 'index') return;
  let found: string | undefined;
  try {
    found = await scheme.findIntegrity?.(reference, asking);
  } catch (error) {
    asking.signal?.throwIfAborted();
    throw credentials === undefined ? error : await credentials.clean(error);
  }
  if (found !== expected)
    throw integrityChanged(`${name}://${formatPackage(reference)}`, found ?? 'none', expected);
}

export interface PreparedBuild {
  readonly recipe: Recipe;
  readonly runtime: ContainerEngine;
  readonly scheme: Scheme;
  readonly schemeOptions: SchemeOptions;
  readonly credentials: BuildCredentials | undefined;
  readonly notes: readonly string[];
}

/** Collects what a build needs, as far as that works without building or pulling an image. */
export async function prepareBuild(
  request: BuildRequest,
  context: BuildContext,
  { remembers, signal }: { readonly remembers: boolean; readonly signal: AbortSignal | undefined },
): Promise<PreparedBuild> {
  const { environment, home, workingDirectory } = context;
  const certificates = await readCertificates(request.caCert);
  const [scheme, runtime] = await Promise.all([
    context.kinds.openScheme(request.scheme),
    openEngine(context, 'Packages are built'),
  ]);
  const caCertificates = certificates?.pem;
  const hostContext: SchemeOptions = { environment, home, workingDirectory, caCertificates, signal };
  const credentials = BuildCredentials.of(scheme, context);
  const options = credentials?.hide(hostContext) ?? hostContext;
  const facts = { request, scheme, runtime, options, credentials, remembers };
  const { reference, notes } = await settleVersion(facts, context);
  const input = toBuildInput(request, reference, caCertificates, credentials?.prepared);
  const recipe = await makeRecipe(request.scheme, input, scheme, options, credentials?.values);
  const all = [...(certificates?.notes ?? []), ...notes];
  return { recipe, runtime, scheme, schemeOptions: options, credentials, notes: all };
}
