import { findImageReference } from '@portolan/outbound';
import { askRegistry } from './ask-registry.ts';
import { chooseNewerTag, readVersionTag } from './version-tag.ts';
import type { VerificationContext } from './verification-context.ts';

/** Result of a tag lookup. `unlisted`: the registry does not list tags. */
export type NewerTag =
  | { readonly outcome: 'newer'; readonly reference: string }
  | { readonly outcome: 'none' | 'unlisted' };

/**
 * Finds a tag of a newer version and the same variant: for `acme/notes:1.2-alpine` that may be
 * `acme/notes:1.3-alpine`. Throws ERR_IMAGE_VERIFIER, and the reason of the signal.
 */
export async function findNewerTag(
  reference: string,
  context: VerificationContext,
  signal?: AbortSignal,
): Promise<NewerTag> {
  const { tag, digest } = findImageReference(reference) ?? {};
  const isVersion = tag !== undefined && digest === undefined && readVersionTag(tag) !== undefined;
  if (!isVersion) return { outcome: 'none' };
  return await askRegistry(reference, context, signal, async (registry, { name }) => {
    const tags = await registry.listTags();
    if (tags === undefined) return { outcome: 'unlisted' };
    const newer = chooseNewerTag(tag, tags);
    return newer === undefined ? { outcome: 'none' } : { outcome: 'newer', reference: `${name}:${newer}` };
  });
}
