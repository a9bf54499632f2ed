import { findImageReference } from '@portolan/outbound';
import { parsePackage, refuseReservedImage } from '@portolan/run-spec';
import { badBuildTag, notBuildable } from './build-errors.ts';
import type { BuildContext, BuildOptions, BuildRequest, BuiltImage } from './build-request.ts';
import { describeBuild, type BuildDescription } from './describe-build.ts';
import { provideBuiltImage } from './provide-built-image.ts';
import { tagImage } from './images/tag-image.ts';
import { openEngine } from '../open-engine.ts';

/** What `portolan build` was asked for. */
export interface PackageBuild {
  /** `npx://@acme/notes-mcp`. */
  readonly target: string;
  /** What stood behind `--`: arguments of every start. */
  readonly args: readonly string[];
  readonly buildWith?: readonly string[];
  /** One more name for the image. */
  readonly tag?: string;
}

/**
 * Builds the image of a package without running it. Image, packages and
 * certificates are those of the user's settings. Throws ERR_SETTING, ERR_PACKAGE, and as `provideBuiltImage` does.
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

/** What `buildPackage` would do, with the text of the Dockerfile; nothing is built. */
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
