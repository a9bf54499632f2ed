import type { Logger } from '@portolan/plugin-api';
import { type StateFolder, stateIdOf } from '../state/workload-labels.ts';
import { withoutHost } from './find-built.ts';
import { BUILT_LABELS } from './image-labels.ts';
import type { FoundImage } from './find-built.ts';
import { type BuildEngine, tagImage } from './tag-image.ts';

/**
 * Where an image has one more name for each state folder that it was not built for and whose workloads use it.
 * Labels of an image cannot be changed, a container is not there while a workload is stopped, and the files of
 * another user cannot be read: a name is what all of them see. No image is looked for here.
 */
const REPOSITORY = 'portolanused/';

/** By which the workloads of a state folder hold an image. */
export function useMarkOf(reference: string, stateId: string): string {
  return `${REPOSITORY}${stateId}:${reference.slice(reference.lastIndexOf(':') + 1)}`;
}

/** The state folders that say by its names that they use an image. */
export function usersIn(references: readonly string[]): readonly string[] {
  return references.map(withoutHost).flatMap((name) => {
    if (!name.startsWith(REPOSITORY)) return [];
    return name.slice(REPOSITORY.length, name.lastIndexOf(':'));
  });
}

/**
 * Tells whoever an image was built for that it is used from another state folder as well, so that its `doctor`
 * does not offer to remove it. What cannot be told is logged: the image is there, and that is what was asked for.
 */
export async function markUse(
  image: FoundImage,
  runtime: BuildEngine,
  { directories, logger }: { readonly directories: StateFolder; readonly logger: Logger },
  signal?: AbortSignal,
): Promise<void> {
  const own = stateIdOf(directories);
  const builtFor = image.labels[BUILT_LABELS.builtFor] ?? own; // that of nobody is never offered
  if (builtFor === own || usersIn(image.references).includes(own)) return;
  try {
    await tagImage(runtime, image.reference, useMarkOf(image.reference, own), signal);
  } catch (error) {
    signal?.throwIfAborted();
    const because = error instanceof Error ? error.message : String(error);
    logger.warn(
      { image: image.reference, because },
      'an image of another state folder could not be marked as used',
    );
  }
}
