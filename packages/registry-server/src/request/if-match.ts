import type { WriteOptions } from '@portolan/registry';
import type { RequestContext } from './request-state.ts';

/** The entity tag of a revision: strong, so that it may stand in `If-Match` (RFC 9110, section 13.1.1). */
export function revisionTag(revision: string): string {
  return `"${revision}"`;
}

/** What a write rests on: the request's conditions, and how long it may wait. */
export function writeOptions(ctx: RequestContext): WriteOptions {
  const { 'if-match': match, 'if-none-match': noneMatch } = ctx.req.headers;
  const { signal } = ctx.state;
  return {
    ...(match === undefined ? {} : { ifMatch: match.trim() === '*' ? ('*' as const) : revisionsIn(match) }),
    ...(noneMatch?.trim() === '*' ? { ifAbsent: true } : {}),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Of weak tags, and of what is no tag, none can match. */
function revisionsIn(header: string): readonly string[] {
  return header.split(',').flatMap((part) => /^\s*"([^"]*)"\s*$/.exec(part)?.[1] ?? []);
}
