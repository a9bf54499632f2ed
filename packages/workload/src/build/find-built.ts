import type { ImageDescription, Labels, Runtime } from '@portolan/plugin-api';
import { BUILT_LABELS, BUILT_REPOSITORY } from './image-labels.ts';

/** An image that was built here, with the name that we gave it. */
export interface FoundImage extends ImageDescription {
  readonly reference: string;
}

/**
 * Images built of packages that carry these labels, newest first. Labels alone
 * are not believed: any image could have them.
 */
export async function findBuilt(
  runtime: Pick<Runtime, 'listImages'>,
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
function withoutHost(reference: string): string {
  return reference.replace(/^localhost\//, '');
}
