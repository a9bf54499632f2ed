import { isPortolanError } from '@portolan/plugin-api';
import { isReservedImage } from '@portolan/outbound';
import { isVirtualServer, textOf, type RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import { findForeignBuild } from './foreign-build.ts';
import {
  foreignBuild,
  imageGone,
  imageNotBuiltHere,
  imageReplaced,
} from '../../supervisor/supervise-errors.ts';
import { describeSource, type ImageSource, isVersionOf, sourceOf } from './image-source.ts';
import {
  describe,
  fetchedByHost,
  provideImage,
  type ProvidedImage,
  type ProvideOptions,
  pullImage,
} from './provide-image.ts';
import { type ResolvedTarget, resolveTarget } from './resolve-target.ts';
import { verificationOf, verifyRunImage } from './check/verify-image.ts';

/**
 * Provides the image of a run config; undefined for a remote server and a virtual server: the image with the stored digest, else the named image, else a new pull
 * or build of the run target. Throws ERR_IMAGE_GONE when none of these works, or when the registry entry now
 * names another image, to which the user has not consented. Throws the errors of a build.
 */
export async function provideConfigImage(
  config: RunConfig,
  digest: string,
  context: WorkloadContext,
  options: ProvideOptions,
): Promise<ProvidedImage | undefined> {
  if (config.remote_url !== '' || isVirtualServer(config)) return undefined;
  const same = await findSame(config, digest, context, options);
  if (same !== undefined) return same;
  const missing = await pullNamed(config, context, options);
  if ('reference' in missing) return missing;
  const source = await sourceOfRunTarget(config, context, options.signal);
  if (source === undefined && (await isOfOtherBuilder(config.image, context))) {
    throw imageNotBuiltHere(config.image, whyNoSource(config));
  }
  if (source === undefined || (source.form === 'image' && source.reference === config.image)) {
    throw imageGone(config.image, whyNoSource(config), missing.cause);
  }
  if (!isOfSameServer(config, source)) throw imageReplaced(config, describeSource(source), missing.cause);
  return await provideImage(source, context, options);
}

async function findSame(
  config: RunConfig,
  digest: string,
  context: WorkloadContext,
  { onProgress, signal }: ProvideOptions,
): Promise<ProvidedImage | undefined> {
  if (digest === '') return undefined;
  const opened = await context.kinds.openRuntime();
  if (opened.runs === 'workloads') {
    return digest.includes('@') ? fetchedByHost(config.image, digest) : undefined;
  }
  const runtime = opened.engine;
  const here = await runtime.inspectImage(digest, signal);
  const image =
    here ??
    (digest.includes('@')
      ? await orNothing(runtime.provideImage(digest, { pull: 'missing', onProgress, signal }))
      : undefined);
  if (image === undefined) return undefined;
  return { ...describe(config.image, image), digest, package: undefined, notes: [] };
}

/** Pulls and verifies the named image, unless Portolan built it. */
async function pullNamed(
  config: RunConfig,
  context: WorkloadContext,
  options: ProvideOptions,
): Promise<ProvidedImage | { readonly cause: unknown }> {
  const { image } = config;
  const { signal } = options;
  if (image === '') return { cause: undefined };
  if (isReservedImage(image)) return (await findOwnBuild(image, context, signal)) ?? { cause: undefined };
  const source = { form: 'image', reference: image } as const;
  const request = await verificationOf(config, context, signal);
  const { warnings, pinned } = await verifyRunImage({ source, ...request }, context, signal);
  try {
    const pulled = await pullImage(image, 'tag', context, { ...options, pinned });
    return { ...pulled, notes: warnings };
  } catch (error) {
    refuseForeignBuild(config, error, signal);
    if (!isImageNotFound(error)) throw error;
    return { cause: error };
  }
}

/** Throws ERR_RUN_TARGET for an image that ToolHive built on another machine, because no registry has it. */
function refuseForeignBuild(
  { image, run_target: target }: RunConfig,
  cause: unknown,
  signal: AbortSignal,
): void {
  const built = signal.aborted || target.includes('://') ? undefined : findForeignBuild(image);
  if (built === undefined) return;
  throw foreignBuild(
    image,
    built.packages.map((name) => `${built.scheme}://${name}`),
    cause,
  );
}

/**
 * Looks up an image that Portolan built, by its stored id. The tag is no proof, because anyone can give
 * another image the same tag.
 */
async function findOwnBuild(
  tag: string,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ProvidedImage | undefined> {
  const opened = await context.kinds.openRuntime();
  if (opened.runs === 'workloads') return undefined;
  const { BuiltIds } = await import('../../build/images/built-ids.ts');
  const { findById } = await import('../../build/images/find-built.ts');
  const image = await findById(tag, opened.engine, new BuiltIds(context.directories), signal);
  return image && { ...describe(tag, image), digest: image.id, package: undefined, notes: [] };
}

/** Returns whether an image has a name for images that Portolan builds, but this state folder did not build it. */
async function isOfOtherBuilder(image: string, { directories }: WorkloadContext): Promise<boolean> {
  if (!isReservedImage(image)) return false;
  const { BuiltIds } = await import('../../build/images/built-ids.ts');
  return (await new BuiltIds(directories).find(image)) === undefined;
}

async function orNothing<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isImageNotFound(error)) return undefined;
    throw error;
  }
}

function isImageNotFound(error: unknown): boolean {
  return isPortolanError(error) && error.code === 'ERR_IMAGE_NOT_FOUND';
}

/**
 * Returns the image source that the run target names. If the run config has no build settings, the user's
 * build settings apply.
 */
export async function sourceOfRunTarget(
  config: RunConfig,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ImageSource | undefined> {
  if (config.run_target === '') return undefined;
  const { runtimeConfigs, caCertificatePath = '' } = context.user;
  const resolved = await resolveRunTarget(config, context, signal);
  const caCert = config.ca_cert === '' ? caCertificatePath : config.ca_cert;
  const source = sourceOf(resolved, { runtime: config.runtime_config, caCert }, context.kinds);
  if (source?.form !== 'package' || source.runtime !== undefined) return source;
  const { scheme } = source;
  return { ...source, runtime: Object.hasOwn(runtimeConfigs, scheme) ? runtimeConfigs[scheme] : undefined };
}

/**
 * Resolves the run target of a workload. A target that was an image when the workload was created is never
 * looked up in a registry.
 */
async function resolveRunTarget(
  config: RunConfig,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<Pick<ResolvedTarget, 'target' | 'entry'>> {
  const { run_target: text, registry_server_name: server } = config;
  if (server === '' && !text.includes('://')) {
    return { target: { from: 'image', reference: text }, entry: undefined };
  }
  try {
    return await resolveTarget(text, context, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw imageGone(config.image === '' ? text : config.image, textOf(error), error);
  }
}

function isOfSameServer(config: RunConfig, source: ImageSource): boolean {
  const { image, registry_server_name: server, run_target: target } = config;
  if (server === '' || image === '' || target.includes('://')) return true;
  return source.form === 'image' ? source.reference === image : isVersionOf(config, source);
}

function whyNoSource({ run_target: text }: RunConfig): string {
  return text === ''
    ? 'the run configuration has no run_target'
    : `its run_target ${JSON.stringify(text)} names nothing else`;
}
