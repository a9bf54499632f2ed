import { randomUUID } from 'node:crypto';

/** A mark for one state of a resource, unlike that of any other state or resource. */
export function newRevision(): string {
  return randomUUID();
}
