import { imagePlaceOf } from './image-place.ts';
import { ImageRegistry } from './image-registry.ts';
import type { VerificationContext } from './verification-context.ts';
import { credentialsFinder } from './verify-image.ts';

/**
 * The image that a name stands for now, as its registry says: `NAME@sha256:…`.
 * Nothing is pulled. Throws ERR_IMAGE_REGISTRY, and the reason of the signal.
 */
export async function findImageDigest(
  reference: string,
  context: VerificationContext,
  signal?: AbortSignal,
): Promise<string> {
  // An image registry in one's own network is as good as any.
  const opened = await context.openFetch({ allowPrivateAddresses: true, environment: context.environment });
  try {
    const place = imagePlaceOf(reference);
    const findCredentials = credentialsFinder(reference, { context, signal });
    const registry = new ImageRegistry({ place, fetch: opened.fetch, findCredentials, signal });
    return `${place.name}@${await registry.resolve()}`;
  } finally {
    await opened.close();
  }
}
