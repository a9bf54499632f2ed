import { randomUUID } from 'node:crypto';

/** Returns a random mark for one state of a resource. */
export function newRevision(): string {
  return randomUUID();
}
