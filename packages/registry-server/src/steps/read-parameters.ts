import { LRUCache } from 'lru-cache';
import type { ParameterTable, ValuesOf } from '../parameters/parameter.ts';
import { createPathReader, createQueryReader, type Read } from '../parameters/read-values.ts';
import type { RequestContext } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';

/** Maximum number of cached queries per route. */
const MAX_REMEMBERED_QUERIES = 500;
const MAX_QUERY_LENGTH = 512;

/**
 * Validates path and query parameters. Ignores unknown query parameters; empty ones count as absent. Throws ERR_PARAMETER_INVALID with every
 * problem.
 */
export function readParameters(pathTable: ParameterTable, queryTable: ParameterTable): Step {
  const readPath = createPathReader(pathTable);
  const readQuery = remembering(createQueryReader(queryTable));
  return step('readParameters', ({ state, req }) => {
    const path = readPath(state.pathText);
    const query = readQuery(queryOf(req.url ?? ''));
    const key = `${path.key}?${query.key}`;
    state.parameters = { pathTable, path: path.values, queryTable, query: query.values, key };
  });
}

/**
 * Returns the path parameters, typed by their table. Throws when `readParameters` did not run with this table
 * before.
 */
export function pathValues<T extends ParameterTable>(ctx: RequestContext, table: T): ValuesOf<T> {
  const { parameters } = ctx.state;
  if (parameters?.pathTable !== table)
    throw new TypeError('the step readParameters must run first, with the same parameter table');
  // SAFETY: this same table parsed the values.
  return parameters.path as ValuesOf<T>;
}

/**
 * Returns the query parameters, typed by their table. Throws when `readParameters` did not run with this
 * table before.
 */
export function queryValues<T extends ParameterTable>(ctx: RequestContext, table: T): ValuesOf<T> {
  const { parameters } = ctx.state;
  if (parameters?.queryTable !== table)
    throw new TypeError('the step readParameters must run first, with the same parameter table');
  // SAFETY: this same table parsed the values.
  return parameters.query as ValuesOf<T>;
}

/** Caches the results of parsing short queries, which recur. The values are immutable by their types. */
function remembering(read: (raw: string) => Read): (raw: string) => Read {
  const known = new LRUCache<string, Read>({ max: MAX_REMEMBERED_QUERIES });
  return (raw) => {
    if (raw.length > MAX_QUERY_LENGTH) return read(raw);
    const before = known.get(raw);
    if (before !== undefined) return before;
    const result = read(raw);
    known.set(raw, result);
    return result;
  };
}

function queryOf(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return '';
  const hash = url.indexOf('#', at);
  return hash < 0 ? url.slice(at + 1) : url.slice(at + 1, hash);
}
