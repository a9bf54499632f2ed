import type { EntryType } from '@portolan/plugin-api';

/** A list of one type of entries in the API of a registry. */
export interface ListOfType {
  readonly type: EntryType;
  /** In the answer, the key of the list. */
  readonly key: 'servers' | 'skills' | 'plugins';
  /** Below the version of the API. */
  readonly path: string;
}

export const SERVERS: ListOfType = { type: 'server', key: 'servers', path: 'servers' };
