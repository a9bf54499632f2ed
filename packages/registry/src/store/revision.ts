import { randomUUID } from 'node:crypto';

export function newRevision(): string {
  return randomUUID();
}
