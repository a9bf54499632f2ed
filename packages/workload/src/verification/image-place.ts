import { findImageReference } from '@portolan/run-spec';
import { imageRegistryFailed } from './verification-errors.ts';

/** Where an image is kept. */
export interface ImagePlace {
  /** Host and port, as it was written; Docker Hub is `docker.io`. */
  readonly registry: string;
  /** Host and port that answer. */
  readonly host: string;
  readonly repository: string;
  /** Tag or digest. */
  readonly version: string;
  /** Registry and repository as they were written. */
  readonly name: string;
}

const HUB = 'docker.io';

/** Takes an image reference apart, with Docker Hub and `latest` filled in. Throws ERR_IMAGE_REGISTRY for what is none. */
export function imagePlaceOf(reference: string): ImagePlace {
  const found = findImageReference(reference);
  if (found === undefined)
    throw imageRegistryFailed('', `cannot have ${JSON.stringify(reference)}: it is no image reference`);
  const { repository, tag, digest } = found;
  const registry =
    found.registry === undefined || found.registry === 'index.docker.io' ? HUB : found.registry;
  const isHub = registry === HUB;
  return {
    registry,
    host: isHub ? 'registry-1.docker.io' : registry,
    repository: isHub && !repository.includes('/') ? `library/${repository}` : repository,
    version: digest ?? tag ?? 'latest',
    name: found.registry === undefined ? repository : `${found.registry}/${repository}`,
  };
}

/** Hosts of this machine, which registries may answer without TLS, as Docker has it. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(host);
}
