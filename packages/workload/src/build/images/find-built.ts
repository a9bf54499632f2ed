import type { ImageDescription, Labels, ContainerEngine } from '@portolan/plugin-api';
import type { BuiltIds } from './built-ids.ts';
import { BUILT_LABELS, BUILT_REPOSITORY } from './image-labels.ts';
import { type Recipe, tagOf } from '../recipe.ts';

export interface BuiltImageMatch extends ImageDescription {
  readonly reference: string;
}

/**
 * Returns the package images with these labels, newest first. Also checks the repository in the image's name,
 * because any image can carry the labels.
 */
export async function findBuilt(
  runtime: Pick<ContainerEngine, 'listImages'>,
  labels: Labels,
  signal?: AbortSignal,
): Promise<readonly BuiltImageMatch[]> {
  const images = await runtime.listImages({ [BUILT_LABELS.image]: 'package', ...labels }, signal);
  return images
    .flatMap((image) => {
      const reference = image.references.map(withoutHost).find((name) => name.startsWith(BUILT_REPOSITORY));
      return reference === undefined ? [] : [{ ...image, reference }];
    })
    .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
}

/** Removes `localhost/`, which Podman puts before the names of built images. */
export function withoutHost(reference: string): string {
  return reference.replace(/^localhost\//, '');
}

export interface ExistingBuild {
  /** Tag of the image; undefined when a base image is missing locally. */
  readonly tag: string | undefined;
  readonly image: BuiltImageMatch | undefined;
}

/**
 * Returns the image that a recipe describes, if Portolan built it for this state folder. If a base image is
 * missing locally, any image of the recipe counts, so that the base need not be pulled for a comparison.
 */
export async function findImage(
  recipe: Recipe,
  runtime: Pick<ContainerEngine, 'inspectImage' | 'listImages'>,
  ids: BuiltIds,
  signal?: AbortSignal,
): Promise<ExistingBuild> {
  const bases = await Promise.all(recipe.plan.baseImages.map((base) => runtime.inspectImage(base, signal)));
  const baseIds = bases.flatMap((base) => base?.id ?? []);
  if (baseIds.length < bases.length) {
    const images = await findBuilt(runtime, { [BUILT_LABELS.recipe]: recipe.hashes.recipe }, signal);
    for (const image of images) {
      if ((await ids.find(image.reference)) === image.id) return { tag: image.reference, image };
    }
    return { tag: undefined, image: undefined };
  }
  const tag = tagOf(recipe, baseIds, ids.stateId);
  return { tag, image: await findById(tag, runtime, ids, signal) };
}

export async function findById(
  tag: string,
  runtime: Pick<ContainerEngine, 'inspectImage'>,
  ids: BuiltIds,
  signal?: AbortSignal,
): Promise<BuiltImageMatch | undefined> {
  const id = await ids.find(tag);
  const image = id === undefined ? undefined : await runtime.inspectImage(id, signal);
  return image === undefined ? undefined : { ...image, reference: tag };
}
