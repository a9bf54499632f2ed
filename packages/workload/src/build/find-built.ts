import type { ImageDescription, Labels, ContainerEngine } from '@portolan/plugin-api';
import { BUILT_LABELS, BUILT_REPOSITORY } from './image-labels.ts';
import { type Recipe, tagOf } from './recipe.ts';

/** An image that was built here, with the name that we gave it. */
export interface FoundImage extends ImageDescription {
  readonly reference: string;
}

/**
 * Images built of packages that carry these labels, newest first. Labels alone
 * are not believed: any image could have them.
 */
export async function findBuilt(
  runtime: Pick<ContainerEngine, 'listImages'>,
  labels: Labels,
  signal?: AbortSignal,
): Promise<readonly FoundImage[]> {
  const images = await runtime.listImages({ [BUILT_LABELS.image]: 'package', ...labels }, signal);
  return images
    .flatMap((image) => {
      const reference = image.references.map(withoutHost).find((name) => name.startsWith(BUILT_REPOSITORY));
      return reference === undefined ? [] : [{ ...image, reference }];
    })
    .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
}

/** Podman puts its own host in front of what it has built. */
export function withoutHost(reference: string): string {
  return reference.replace(/^localhost\//, '');
}

export interface FoundBuild {
  /** Undefined where a base image is not here, so that no tag can be told yet. */
  readonly tag: string | undefined;
  readonly image: FoundImage | undefined;
}

/**
 * The image of a recipe, if it is built. Where its base image has gone from the
 * engine, one of the same recipe does: the base would have to be pulled only to
 * compare it.
 */
export async function findImage(
  recipe: Recipe,
  runtime: Pick<ContainerEngine, 'inspectImage' | 'listImages'>,
  signal?: AbortSignal,
): Promise<FoundBuild> {
  const bases = await Promise.all(recipe.plan.baseImages.map((base) => runtime.inspectImage(base, signal)));
  const ids = bases.flatMap((base) => base?.id ?? []);
  if (ids.length < bases.length) {
    const [image] = await findBuilt(runtime, { [BUILT_LABELS.recipe]: recipe.hashes.recipe }, signal);
    return { tag: image?.reference, image };
  }
  const tag = tagOf(recipe, ids);
  const image = await runtime.inspectImage(tag, signal);
  return { tag, image: image === undefined ? undefined : { ...image, reference: tag } };
}
