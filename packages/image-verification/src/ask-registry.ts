import { type ImagePlace, imagePlaceOf } from './image-place.ts';
import { ImageRegistry } from './image-registry.ts';
import type { VerificationContext } from './verification-context.ts';
import { credentialsFinder } from './verify-image.ts';

/** Asks the registry of an image something, with the login that there is for it. Throws ERR_IMAGE_VERIFIER for what is no image. */
export async function askRegistry<Answer>(
  reference: string,
  context: VerificationContext,
  signal: AbortSignal | undefined,
  ask: (registry: ImageRegistry, place: ImagePlace) => Promise<Answer>,
): Promise<Answer> {
  // An image registry in one's own network is as good as any.
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
