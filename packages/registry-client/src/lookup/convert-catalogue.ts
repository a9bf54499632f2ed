import { isSkippedEntry, readCatalogue } from '@portolan/entry-format';
import { isJsonObject, memberOf, readJson, textMember, textOf } from '@portolan/run-spec';
import { catalogueNotConverted } from './lookup-errors.ts';

export interface ConvertedCatalogue {
  /** Catalogue in the upstream format, as JSON with a final line break. */
  readonly text: string;
  readonly servers: number;
  readonly notes: readonly string[];
  readonly unchanged: boolean;
}

/**
 * Converts a legacy catalogue. `name` is for messages. Throws ERR_NAMED_FILE for anything that is not a
 * catalogue.
 */
export async function convertCatalogue(
  name: string,
  legacy: string,
  clock: () => Date,
): Promise<ConvertedCatalogue> {
  const reading = readJson(legacy);
  if ('fault' in reading) throw catalogueNotConverted(name, reading.fault);
  const data = memberOf(reading.value, 'data');
  if (isJsonObject(data)) {
    const servers = memberOf(data, 'servers');
    const note = `${name} is in the upstream format already, and stays as it is.`;
    return {
      text: legacy,
      servers: Array.isArray(servers) ? servers.length : 0,
      notes: [note],
      unchanged: true,
    };
  }
  const servers: unknown[] = [];
  const notes: string[] = [];
  try {
    for await (const item of readCatalogue(once(legacy))) {
      if (isSkippedEntry(item)) notes.push(`${item.skipped} is left out. ${item.because}`);
      else servers.push(item.document);
    }
  } catch (error) {
    throw catalogueNotConverted(name, textOf(error), error);
  }
  const groups = memberOf(reading.value, 'groups');
  if (groups !== undefined && groups !== null)
    notes.push('groups are left out. The upstream format has none.');
  const updated = textMember(reading.value, 'last_updated') ?? clock().toISOString();
  const upstream = { version: '1.0.0', meta: { last_updated: updated }, data: { servers } };
  return { text: `${JSON.stringify(upstream, null, 2)}\n`, servers: servers.length, notes, unchanged: false };
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
