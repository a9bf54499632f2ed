import type { PublishedRegistry, VisibleClasses } from '@portolan/registry';
import { hash } from 'node:crypto';

/**
 * Stands for what decides, beside the entries themselves, which of them a caller is shown: the database, the sources
 * of the registry in their order, and the claims objects that the caller satisfies. While it is the same, whoever asks
 * for what was written since (`updated_since`) misses nothing that is shown; with another one, all has to be read again.
 */
export function listView({ epoch, sources }: PublishedRegistry, visible: VisibleClasses): string {
  const database = epoch.slice(0, epoch.lastIndexOf('.'));
  return hash('sha1', JSON.stringify([database, sources, visible]), 'base64url');
}
