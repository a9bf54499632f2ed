import { hash } from 'node:crypto';

/**
 * Creates a weak entity tag. It is weak because the compressed and the plain response share it (RFC 9110,
 * section 8.8.3).
 */
export function entityTag(text: string): string {
  return `W/"${hash('sha1', text, 'base64url')}"`;
}

/**
 * Returns whether an `If-None-Match` header contains the tag, by weak comparison. Ignores `*`, which is for
 * writes.
 */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag) return true;
  const requested = opaque(tag);
  return header.split(',').some((candidate) => opaque(candidate.trim()) === requested);
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
