import type { EntryType, SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import type { ListOfType } from './lists.ts';
import { isMap } from './parse-page.ts';

/** A row of a list. */
export interface Row {
  /** Which version of which entry it is; undefined where it does not say so. */
  readonly address: { readonly name: string; readonly version: string } | undefined;
  readonly item: SourceEntry | SkippedEntry;
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const PORTOLAN = 'portolan.dev';

/** What a row of a list says; one without a document is left out with a reason. */
export function parseRow(list: ListOfType, row: unknown, place: string): Row {
  const { type, isWrapped } = list;
  const document = isWrapped && isMap(row) ? row[type] : row;
  if (!isMap(document)) {
    const item = { skipped: place, because: `There is no map${isWrapped ? ` \`${type}\` in it` : ''}.` };
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

/** What the registry says of a row, and where that has been before: a Portolan says so. The registry that reads judges both. */
function carried(meta: unknown): Pick<SourceEntry, 'official' | 'path'> {
  const official = isMap(meta) ? meta[OFFICIAL] : undefined;
  const way = isMap(meta) ? meta[PORTOLAN] : undefined;
  return {
    // It may hold anything under each key, and is taken so by whoever stores it.
    ...(isMap(official) ? { official } : {}),
    ...(isMap(way) && way['origin'] !== undefined ? { path: pathOf(way) } : {}),
  };
}

/** As it came: what is no list of texts is refused with the row, not made to fit. */
function pathOf({ origin, via }: Readonly<Record<string, unknown>>): readonly string[] {
  // SAFETY: none; whoever stores it looks at it, as above.
  return [origin, ...(Array.isArray(via) ? via : [via]).filter((mark) => mark !== undefined)] as string[];
}
