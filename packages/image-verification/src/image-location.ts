import {
  DOCKER_HUB,
  findImageReference,
  isLoopbackHost,
  type ImageRepository as WrittenPlace,
  placeOfImage,
} from '@portolan/outbound';
import { imageRegistryFailed } from './errors.ts';

export interface ImageLocation extends WrittenPlace {
  readonly host: string;
  readonly version: string;
}

/**
 * Parses a reference, with Docker Hub and `latest` as defaults. Throws ERR_IMAGE_VERIFIER for an invalid one.
 */
export function imagePlaceOf(reference: string): ImageLocation {
  const imageReference = findImageReference(reference);
  if (imageReference === undefined)
    throw imageRegistryFailed('', `cannot have ${JSON.stringify(reference)}: it is no image reference`);
  const place = placeOfImage(imageReference);
  return {
    ...place,
    host: place.registry === DOCKER_HUB ? 'registry-1.docker.io' : place.registry,
    version: imageReference.digest ?? imageReference.tag ?? 'latest',
  };
}

/** Returns whether a registry is on this machine. As with Docker, it needs no TLS. */
export function isLoopbackRegistry(host: string): boolean {
  return isLoopbackHost(host.replace(/:\d+$/, ''));
}
