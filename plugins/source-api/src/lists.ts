import type { EntryType } from '@portolan/plugin-api';

/** A list of one type of entries in the API of a registry. */
export interface ListOfType {
  readonly type: EntryType;
  /** In the answer, the key of the list. */
  readonly key: 'servers' | 'skills' | 'plugins';
  /** Below the version of the API. */
  readonly path: string;
  /** Whether a row holds the document beside a `_meta`; else it is the document. */
  readonly isWrapped: boolean;
  /** Whether it can be asked for what has changed since a time. */
  readonly tellsChanges: boolean;
  /** Most rows that may be asked for at a time. */
  readonly mostRows: number;
}

/** Where entries of a type may be listed, the list that says most first: of skills and plugins a Portolan's, then the reference's. */
export const LISTS: Readonly<Record<EntryType, readonly ListOfType[]>> = {
  server: [
    {
      type: 'server',
      key: 'servers',
      path: 'servers',
      isWrapped: true,
      tellsChanges: true,
      mostRows: 1000,
    },
  ],
  skill: [ofPortolan('skill', 'skills'), ofReference('skill', 'skills')],
  plugin: [ofPortolan('plugin', 'plugins'), ofReference('plugin', 'plugins')],
};

function ofPortolan(type: EntryType, key: ListOfType['key']): ListOfType {
  return { type, key, path: `x/dev.portolan/${key}`, isWrapped: true, tellsChanges: true, mostRows: 1000 };
}

/** It lists every version, and refuses more than a hundred rows at a time. */
function ofReference(type: EntryType, key: ListOfType['key']): ListOfType {
  return { type, key, path: `x/dev.toolhive/${key}`, isWrapped: false, tellsChanges: false, mostRows: 100 };
}
