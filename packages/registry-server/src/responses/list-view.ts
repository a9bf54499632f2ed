import type { PublishedRegistry, VisibleClasses } from '@portolan/registry';
import { hash } from 'node:crypto';

/**
 * Returns a text for everything besides the entries that decides what a caller sees. While the text is equal,
 * a client that asks for changes (`updated_since`) misses no visible entry. When it changes, the client must
 * read everything again.
 */
export function listView({ epoch, sources }: PublishedRegistry, visible: VisibleClasses): string {
  const database = epoch.slice(0, epoch.lastIndexOf('.'));
  return hash('sha1', JSON.stringify([database, sources, visible]), 'base64url');
}
