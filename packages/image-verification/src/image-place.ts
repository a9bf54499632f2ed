import {
  DOCKER_HUB,
  findImageReference,
  isLoopbackHost,
  type ImagePlace as WrittenPlace,
  placeOfImage,
} from '@portolan/outbound';
import { imageRegistryFailed } from './errors.ts';

/** Where an image is kept, and who answers for it. */
export interface ImagePlace extends WrittenPlace {
  /** Host and port that answer. */
  readonly host: string;
  /** Tag or digest. */
  readonly version: string;
}

/** Takes an image reference apart, with Docker Hub and `latest` filled in. Throws ERR_IMAGE_VERIFIER for what is none. */
export function imagePlaceOf(reference: string): ImagePlace {
  const found = findImageReference(reference);
  if (found === undefined)
    throw imageRegistryFailed('', `cannot have ${JSON.stringify(reference)}: it is no image reference`);
  const place = placeOfImage(found);
  return {
    ...place,
    host: place.registry === DOCKER_HUB ? 'registry-1.docker.io' : place.registry,
    version: found.digest ?? found.tag ?? 'latest',
  };
}

/** Returns whether a `host:port` is of this machine. As with Docker, such a registry needs no TLS. */
export function isLoopbackPlace(host: string): boolean {
  return isLoopbackHost(host.replace(/:\d+$/, ''));
}
