import { askRegistry } from './ask-registry.ts';
import type { VerificationContext } from './verification-context.ts';

/**
 * The image that a name stands for now, as its registry says: `NAME@sha256:…`.
 * Nothing is pulled. Throws ERR_IMAGE_VERIFIER, and the reason of the signal.
 */
export async function findImageDigest(
  reference: string,
  context: VerificationContext,
  signal?: AbortSignal,
): Promise<string> {
  return await askRegistry(reference, context, signal, async (registry, { name }) => {
    return `${name}@${await registry.resolve()}`;
  });
}
