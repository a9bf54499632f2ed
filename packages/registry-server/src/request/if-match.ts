import type { WriteOptions } from '@portolan/registry';
import type { RequestContext } from './request-state.ts';

/** Returns the entity tag of a revision. It is strong, as `If-Match` requires (RFC 9110, section 13.1.1). */
export function revisionTag(revision: string): string {
  return `"${revision}"`;
}

export function writeOptions(ctx: RequestContext): WriteOptions {
  const { 'if-match': match, 'if-none-match': noneMatch } = ctx.req.headers;
  const { signal } = ctx.state;
  return {
    ...(match === undefined ? {} : { ifMatch: match.trim() === '*' ? ('*' as const) : revisionsIn(match) }),
    ...(noneMatch?.trim() === '*' ? { ifAbsent: true } : {}),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Returns the revisions in an `If-Match` header. Weak and malformed tags never match. */
function revisionsIn(header: string): readonly string[] {
  return header.split(',').flatMap((part) => /^\s*"([^"]*)"\s*$/.exec(part)?.[1] ?? []);
}
