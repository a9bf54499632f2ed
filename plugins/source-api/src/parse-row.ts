import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import type { ListOfType } from './lists.ts';
import { isMap } from './parse-page.ts';

/** A row of a list; name and version are empty where it says none. */
export interface Row {
  readonly name: string;
  readonly version: string;
  readonly item: SourceEntry | SkippedEntry;
}

/** What a row of a list says; one without a document is left out with a reason. */
export function parseRow(list: ListOfType, row: unknown, place: string): Row {
  const document = isMap(row) ? row[list.type] : undefined;
  if (!isMap(document)) {
    const item = { skipped: place, because: `There is no map \`${list.type}\` in it.` };
    return { name: '', version: place, item };
  }
  return {
    name: textOf(document['name']),
    version: textOf(document['version']),
    item: { type: list.type, document, place },
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
