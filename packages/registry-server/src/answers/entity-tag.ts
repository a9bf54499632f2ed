import { hash } from 'node:crypto';

/**
 * A weak tag for whatever a text determines: weak, because the compressed and
 * the plain form of an answer share it (RFC 9110, section 8.8.3).
 */
export function entityTag(text: string): string {
  return `W/"${hash('sha1', text, 'base64url')}"`;
}

/** Whether `If-None-Match` names this tag, by weak comparison. `*` is not looked at: it is meant for writes. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag) return true;
  const wanted = opaque(tag);
  return header.split(',').some((candidate) => opaque(candidate.trim()) === wanted);
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
