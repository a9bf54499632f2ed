import type { EntryType } from '@portolan/plugin-api';

export interface ListOfType {
  readonly type: EntryType;
  /** Key of the list in the response. */
  readonly key: 'servers' | 'skills' | 'plugins';
  readonly path: string;
  /** Whether a row contains the document and a `_meta`. If false, the row is the document. */
  readonly isWrapped: boolean;
  /** Whether the list supports requests for changes since a time. */
  readonly tellsChanges: boolean;
  /** Maximum number of rows per request. */
  readonly maxRows: number;
}

/**
 * Lists of each type, the most informative first: for skills and plugins Portolan's list, then the list of
 * the reference implementation.
 */
export const LISTS: Readonly<Record<EntryType, readonly ListOfType[]>> = {
  server: [
    {
      type: 'server',
      key: 'servers',
      path: 'servers',
      isWrapped: true,
      tellsChanges: true,
      maxRows: 1000,
    },
  ],
  skill: [ofPortolan('skill', 'skills'), ofReference('skill', 'skills')],
  plugin: [ofPortolan('plugin', 'plugins'), ofReference('plugin', 'plugins')],
};

function ofPortolan(type: EntryType, key: ListOfType['key']): ListOfType {
  return { type, key, path: `x/dev.portolan/${key}`, isWrapped: true, tellsChanges: true, maxRows: 1000 };
}

/**
 * Returns a list of the reference implementation, which contains every version and refuses more than a
 * hundred rows per request.
 */
function ofReference(type: EntryType, key: ListOfType['key']): ListOfType {
  return { type, key, path: `x/dev.toolhive/${key}`, isWrapped: false, tellsChanges: false, maxRows: 100 };
}
