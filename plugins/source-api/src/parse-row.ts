import type { EntryType, SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import type { ListOfType } from './lists.ts';
import { isMap } from './parse-page.ts';

export interface Row {
  /** Name and version of the row; undefined when the row does not contain them. */
  readonly address: { readonly name: string; readonly version: string } | undefined;
  readonly item: SourceEntry | SkippedEntry;
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const PORTOLAN = 'portolan.dev';

/** Parses a row. A row without a document is skipped with a reason. */
export function parseRow(list: ListOfType, row: unknown, place: string): Row {
  const { type, isWrapped } = list;
  const document = isWrapped && isMap(row) ? row[type] : row;
  if (!isMap(document)) {
    const item = { skipped: place, because: `There is no object${isWrapped ? ` \`${type}\` in it` : ''}.` };
    return { address: undefined, item };
  }
  const meta = isWrapped && isMap(row) ? row['_meta'] : undefined;
  return { address: addressOf(type, document), item: { type, document, place, ...carried(meta) } };
}

function addressOf(type: EntryType, document: Readonly<Record<string, unknown>>): Row['address'] {
  const { namespace, name, version } = document;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  if (type === 'server') return { name, version };
  return typeof namespace === 'string' ? { name: `${namespace}/${name}`, version } : undefined;
}

/** The reading registry judges the registry's statements and the registries that the row passed. */
function carried(meta: unknown): Pick<SourceEntry, 'official' | 'path'> {
  const official = isMap(meta) ? meta[OFFICIAL] : undefined;
  const way = isMap(meta) ? meta[PORTOLAN] : undefined;
  return {
    // Any content is possible under this key. The registry that stores the document checks it.
    ...(isMap(official) ? { official } : {}),
    ...(isMap(way) && way['origin'] !== undefined ? { path: pathOf(way) } : {}),
  };
}

/** Not corrected: a value that is no list of texts leads to a refused row. */
function pathOf({ origin, via }: Readonly<Record<string, unknown>>): readonly string[] {
  // SAFETY: the registry that stores it checks it, as above.
  return [origin, ...(Array.isArray(via) ? via : [via]).filter((mark) => mark !== undefined)] as string[];
}
