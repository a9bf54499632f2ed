import type { RequestContext } from '../request/request-state.ts';
import { entityTag, matchesTag } from './entity-tag.ts';

/** Responds with JSON text that must not be cached. */
export function sendJson(ctx: RequestContext, text: string, status = 200): void {
  ctx.status = status;
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Content-Type', 'application/json');
  ctx.body = text;
}

/** Responds with a text, or with 304 when the client already has it. */
export function sendDocument(ctx: RequestContext, text: string, contentType: string): void {
  const tag = entityTag(`${contentType}\n${text}`);
  ctx.set('ETag', tag);
  ctx.set('Cache-Control', 'no-cache');
  if (matchesTag(ctx.req.headers['if-none-match'], tag)) {
    ctx.status = 304;
    return;
  }
  ctx.status = 200;
  ctx.set('Content-Type', contentType);
  ctx.body = text;
}
