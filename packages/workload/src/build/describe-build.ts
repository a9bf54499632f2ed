import type { BuildHost, PackageReference } from '@portolan/plugin-api';
import type { BuildContext, BuildRequest } from './build-request.ts';
import { BuiltIds } from './images/built-ids.ts';
import { findImage } from './images/find-built.ts';
import { prepareBuild } from './provide-built-image.ts';

export interface BuildDescription {
  /** Tag of the image; undefined while its base image or version is unknown. */
  readonly tag: string | undefined;
  /** Package, with its version if that is known without reading secrets. */
  readonly package: PackageReference;
  readonly baseImages: readonly string[];
  /** Hosts that the build may reach, without the system package sources of the base image. */
  readonly hosts: readonly BuildHost[];
  readonly allowedHosts: readonly string[];
  readonly cached: boolean;
  readonly dockerfile: string;
  readonly notes: readonly string[];
}

/** Describes what `provideBuiltImage` would do, without side effects. Throws the same errors. */
export async function describeBuild(
  request: BuildRequest,
  context: BuildContext,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<BuildDescription> {
  const prepared = await prepareBuild(request, context, { remembers: false, signal });
  const { recipe, runtime, scheme, schemeOptions, credentials, notes } = prepared;
  const { reference } = recipe.input;
  const isSettled = reference.from === 'folder' || reference.pinned;
  const [build, hosts] = await Promise.all([
    isSettled
      ? findImage(recipe, runtime, new BuiltIds(context.directories), signal)
      : { tag: undefined, image: undefined },
    scheme.reachesHosts(recipe.input, schemeOptions),
  ]);
  return {
    tag: build.tag,
    package: reference,
    baseImages: recipe.plan.baseImages,
    hosts,
    allowedHosts: context.user.buildAllowHost,
    cached: build.image !== undefined,
    dockerfile: recipe.plan.dockerfile,
    notes: [...notes, ...(credentials === undefined ? [] : [credentials.describe()])],
  };
}
