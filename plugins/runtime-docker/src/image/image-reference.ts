import { findImageReference, type ImageRepository, placeOfImage } from '@portolan/outbound';
import { referenceInvalid } from '../errors.ts';

/** Parsed image reference, with Docker's defaults for missing parts. */
export interface ImageReference extends ImageRepository {
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Throws ERR_CONTAINER_SPEC. */
export function parseImageReference(text: string): ImageReference {
  const imageReference = findImageReference(text);
  if (imageReference === undefined) throw referenceInvalid(text);
  return { ...placeOfImage(imageReference), tag: imageReference.tag, digest: imageReference.digest };
}

/**
 * Returns whether a registry may move the reference to another image: it has neither tag nor digest, or the
 * tag `latest`.
 */
export function isMoving({ tag, digest }: Pick<ImageReference, 'tag' | 'digest'>): boolean {
  return digest === undefined && (tag === undefined || tag === 'latest');
}
