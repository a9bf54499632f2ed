import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { PAGE } from './cases.ts';
import type { LoadResult } from './run-load.ts';

/**
 * First page as one statement that builds the JSON in the database: the lower bound of a response. It has the
 * source id and origin as constants, and supports no claims, cursors or other registries.
 */
const FIRST_PAGE = `
  select '{"servers":[' || string_agg(
    '{"server":' || v.document || ',"_meta":{"io.modelcontextprotocol.registry/official":{"status":"' || v.status
      || '","statusChangedAt":"' || v.status_changed_at || '","publishedAt":"' || v.published_at
      || '","updatedAt":"' || v.updated_at || '","isLatest":' || case v.is_latest when 1 then 'true' else 'false' end
      || '},"portolan.dev":' || $2 || '}}', ',' order by v.name, v.version
  ) || '],"metadata":{"count":' || count(*) || '}}' as body
  from (
    select * from entry_version
    where source_id = $1 and type = 'server' and status <> 'deleted'
    order by name, version limit ${PAGE}
  ) as v`;

/** Checked part of a response. */
interface Page {
  readonly servers: readonly { readonly _meta: Readonly<Record<string, unknown>> }[];
}

export interface HandWrittenQuery {
  /** Repeats the query for a duration, one at a time. */
  run(durationMs: number): Promise<LoadResult>;
  close(): Promise<void>;
}

/** Prepares the query on its own connection. Throws when its result differs from `expected`. */
export async function openHandWrittenQuery(
  databaseUrl: string,
  source: string,
  expected: Buffer,
): Promise<HandWrittenQuery> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ id: string }>('select id from source where name = $1', [source]);
  const [first] = (JSON.parse(expected.toString()) as Page).servers;
  const made = JSON.stringify(first?.['_meta']['portolan.dev']);
  const query = { name: 'first-page', text: FIRST_PAGE, values: [rows[0]?.id, made] };
  const run = async (): Promise<Buffer> => {
    const { rows: pages } = await client.query<{ body: string }>(query);
    return Buffer.from(pages[0]?.body ?? '');
  };
  const [own, served] = [await run(), expected].map(
    (body) => JSON.parse(body.toString()) as { servers?: unknown },
  );
  if (!isDeepStrictEqual(own?.servers, served?.servers)) {
    await client.end(); // the database is dropped
    throw new Error('the hand-written query builds another page');
  }
  return {
    async run(durationMs) {
      const latenciesMs: number[] = [];
      const started = performance.now();
      for (let at = started; at - started < durationMs; ) {
        await run();
        const now = performance.now();
        latenciesMs.push(now - at);
        at = now;
      }
      return { requests: latenciesMs.length, seconds: (performance.now() - started) / 1000, latenciesMs };
    },
    close: () => client.end(),
  };
}
