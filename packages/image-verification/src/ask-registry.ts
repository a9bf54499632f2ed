import { type ImageLocation, imagePlaceOf } from './image-location.ts';
import { ImageRegistry } from './image-registry.ts';
import type { VerificationContext } from './verification-context.ts';
import { credentialsFinder } from './verify-image.ts';

/** Queries an image registry with the available login. Throws ERR_IMAGE_VERIFIER for an invalid reference. */
export async function askRegistry<Answer>(
  reference: string,
  context: VerificationContext,
  signal: AbortSignal | undefined,
  ask: (registry: ImageRegistry, place: ImageLocation) => Promise<Answer>,
): Promise<Answer> {
  // An image registry in a private network is legitimate.
  const opened = await context.openFetch({ allowPrivateAddresses: true, environment: context.environment });
  try {
    const place = imagePlaceOf(reference);
    const findCredentials = credentialsFinder(reference, { context, signal });
    const registry = new ImageRegistry({ place, fetch: opened.fetch, findCredentials, signal });
    return await ask(registry, place);
  } finally {
    await opened.close();
  }
}
