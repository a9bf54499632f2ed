import type { BuildHost, PackageReference } from '@portolan/plugin-api';
import type { BuildContext, BuildRequest } from './build-request.ts';
import { BuiltIds } from './images/built-ids.ts';
import { findImage } from './images/find-built.ts';
import { prepareBuild } from './provide-built-image.ts';

/** What a build would do. */
export interface BuildDescription {
  /** Undefined while a base image has to be pulled, or a version to be looked up: the tag depends on what comes. */
  readonly tag: string | undefined;
  /** With the version that would be built, where that is known without secrets. */
  readonly package: PackageReference;
  readonly baseImages: readonly string[];
  /** Hosts that it could reach; with system packages, those of the base image's own sources as well. */
  readonly hosts: readonly BuildHost[];
  readonly allowedHosts: readonly string[];
  /** Whether the image is there already. */
  readonly cached: boolean;
  readonly dockerfile: string;
  readonly notes: readonly string[];
}

/** Says what `provideBuiltImage` would do, and leaves no trace. Throws as that does before it builds. */
export async function describeBuild(
  request: BuildRequest,
  context: BuildContext,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<BuildDescription> {
  const prepared = await prepareBuild(request, context, { remembers: false, signal });
  const { recipe, runtime, scheme, schemeOptions, credentials, notes } = prepared;
  const { reference } = recipe.input;
  const isSettled = reference.from === 'folder' || reference.pinned;
  const [found, hosts] = await Promise.all([
    isSettled
      ? findImage(recipe, runtime, new BuiltIds(context.directories), signal)
      : { tag: undefined, image: undefined },
    scheme.reachesHosts(recipe.input, schemeOptions),
  ]);
  return {
    tag: found.tag,
    package: reference,
    baseImages: recipe.plan.baseImages,
    hosts,
    allowedHosts: context.user.buildAllowHost,
    cached: found.image !== undefined,
    dockerfile: recipe.plan.dockerfile,
    notes: [...notes, ...(credentials === undefined ? [] : [credentials.describe()])],
  };
}
