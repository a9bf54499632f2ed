import { askRegistry } from './ask-registry.ts';
import type { VerificationContext } from './verification-context.ts';

/**
 * Resolves a reference at its registry to `NAME@sha256:…`, without pulling. Throws ERR_IMAGE_VERIFIER, and
 * the reason of the signal.
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
