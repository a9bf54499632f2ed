import { findImageReference } from '@portolan/outbound';
import { parsePackage, refuseReservedImage } from '@portolan/run-spec';
import { badBuildTag, notBuildable } from './build-errors.ts';
import type { BuildContext, BuildOptions, BuildRequest, BuiltImage } from './build-request.ts';
import { describeBuild, type BuildDescription } from './describe-build.ts';
import { provideBuiltImage } from './provide-built-image.ts';
import { openEngine } from '../open-engine.ts';
import type { BuildPlan, ContainerEngine } from '@portolan/plugin-api';
import { DOCKERFILE, packContext } from './context/pack-context.ts';

export interface PackageBuild {
  /** Package with its scheme, such as `npx://@acme/notes-mcp`. */
  readonly target: string;
  /** Arguments with which each container of the image starts. */
  readonly args: readonly string[];
  readonly buildWith?: readonly string[];
  readonly tag?: string;
}

/**
 * Builds the image of a package with the user's settings. Throws ERR_SETTING, ERR_PACKAGE, and like
 * `provideBuiltImage`.
 */
export async function buildPackage(
  build: PackageBuild,
  context: BuildContext,
  options: BuildOptions = {},
): Promise<BuiltImage> {
  const { tag } = build;
  const parts = tag === undefined ? undefined : findImageReference(tag);
  if (tag !== undefined && (parts === undefined || parts.digest !== undefined)) throw badBuildTag(tag);
  if (tag !== undefined) refuseReservedImage(tag, '--tag');
  const image = await provideBuiltImage(toBuildRequest(build, context), context, options);
  if (tag === undefined) return image;
  await tagImage(await openEngine(context, 'Packages are built'), image.id, tag, options.signal);
  return { ...image, reference: tag };
}

/** Describes what `buildPackage` would do. */
export async function describePackageBuild(
  build: PackageBuild,
  context: BuildContext,
  options: { readonly signal?: AbortSignal } = {},
): Promise<BuildDescription> {
  return await describeBuild(toBuildRequest(build, context), context, options);
}

function toBuildRequest({ target, args, buildWith }: PackageBuild, context: BuildContext): BuildRequest {
  const { kinds, user } = context;
  const [, scheme = '', text = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/s.exec(target) ?? [];
  const packages = kinds.schemes.get(scheme);
  if (packages === undefined) throw notBuildable(target);
  const ofUser = Object.hasOwn(user.runtimeConfigs, scheme) ? user.runtimeConfigs[scheme] : undefined;
  return {
    scheme,
    reference: parsePackage(text, packages),
    runtimeConfig: ofUser,
    caCert: user.caCertificatePath,
    entryArguments: args,
    ...(buildWith === undefined ? {} : { buildWith }),
  };
}

type BuildEngine = Pick<ContainerEngine, 'buildImage'>;

/**
 * Adds a name to an image by building a Dockerfile with only `FROM`. On every engine the result is the base
 * image itself.
 */
async function tagImage(
  runtime: BuildEngine,
  image: string,
  tag: string,
  signal?: AbortSignal,
): Promise<void> {
  const plan: BuildPlan = {
    dockerfile: `FROM ${image}\n`,
    baseImages: [image],
    buildArguments: {},
    files: [],
  };
  await runtime.buildImage(packContext(plan, []), {
    reference: tag,
    dockerfile: DOCKERFILE,
    ...(signal === undefined ? {} : { signal }),
  });
}
