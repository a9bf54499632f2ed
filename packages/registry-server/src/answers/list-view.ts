import type { PublishedRegistry, VisibleClasses } from '@portolan/registry';
import { hash } from 'node:crypto';

/**
 * Returns a mark of everything besides the entries that decides what a caller sees. While it is equal, a
 * client that asks for changes (`updated_since`) misses no visible entry; when it changes, the client must
 * read everything again.
 */
export function listView({ epoch, sources }: PublishedRegistry, visible: VisibleClasses): string {
  const database = epoch.slice(0, epoch.lastIndexOf('.'));
  return hash('sha1', JSON.stringify([database, sources, visible]), 'base64url');
}
