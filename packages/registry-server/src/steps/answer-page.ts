import { CatalogOutdated } from '@portolan/registry';
import { acceptsGzip } from '../answers/accepts-gzip.ts';
import { entityTag, matchesTag } from '../answers/entity-tag.ts';
import { listView } from '../answers/list-view.ts';
import type { Page, PageCache } from '../answers/page-cache.ts';
import { type RequestContext, registryOf } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';

/** Shorter answers are sent as they are: compressing them gains nothing. */
const LEAST_ZIPPED_BYTES = 1024;

export interface PageOptions {
  readonly cache: PageCache;
  /** Whether clients that accept gzip get it. */
  readonly compress: boolean;
  /** Request headers that an answer depends on. */
  readonly vary: string;
  /** What else than the answer itself the entity tag stands for; it is said in `Portolan-Tag-Covers`, and beside it `Portolan-View`. */
  readonly covers: 'list' | undefined;
}

/** Makes the JSON text of one answer: the action of routes whose answers are kept. */
export interface Render {
  readonly name: string;
  readonly make: (ctx: RequestContext) => Promise<string>;
}

/** A render of this name, which is that of its file or function. */
export function render(name: string, make: Render['make']): Render {
  return { name, make };
}

/**
 * Answers with what `render` makes, or with what it made before: the key holds
 * everything an answer depends on, the epoch of the registry first, and the
 * entity tag stands for the key. So a client that has the answer is told so
 * without a look at the entries. Without a key (a filter that names none)
 * nothing is kept and no tag is sent.
 */
export function answerPage(options: PageOptions, { name, make }: Render): Step {
  const answer: Step['run'] = (ctx) => {
    const key = pageKey(ctx);
    ctx.res.setHeader('Cache-Control', 'no-cache');
    ctx.res.setHeader('Vary', options.vary);
    if (key === undefined) return answerUnshared(ctx, options, make);
    if (options.covers !== undefined) {
      ctx.res.setHeader('Portolan-Tag-Covers', options.covers);
      ctx.res.setHeader('Portolan-View', listView(registryOf(ctx), ctx.state.visible));
    }
    const found = options.cache.find(key);
    const etag = found?.etag ?? entityTag(key);
    if (matchesTag(ctx.req.headers['if-none-match'], etag))
      return whenConfirmed(ctx, () => answerNotModified(ctx, etag));
    if (found !== undefined) return whenConfirmed(ctx, () => send(ctx, options, found, key));
    return answerNew(ctx, options, key, () => makePage(etag, make(ctx)));
  };
  return step('answerPage', answer, name);
}

/** For answers that are given without the entries, whose statement would tell. Throws CatalogOutdated. */
function whenConfirmed(ctx: RequestContext, answer: () => void | Promise<void>): void | Promise<void> {
  const { confirmCatalog } = ctx.state;
  return confirmCatalog === undefined ? answer() : confirmFirst(confirmCatalog(ctx.state), answer);
}

async function confirmFirst(confirming: Promise<boolean>, answer: () => void | Promise<void>): Promise<void> {
  if (!(await confirming)) throw new CatalogOutdated();
  await answer();
}

async function answerNew(ctx: RequestContext, options: PageOptions, key: string, make: () => Promise<Page>) {
  // Who is sure of the catalog does not wait for somebody who may have to ask again.
  const shared = ctx.state.confirmCatalog === undefined ? key : `?${key}`;
  await send(ctx, options, await options.cache.load(key, make, shared), key);
}

async function answerUnshared(
  ctx: RequestContext,
  options: PageOptions,
  make: Render['make'],
): Promise<void> {
  await send(ctx, options, await makePage('', make(ctx)), undefined);
}

function answerNotModified(ctx: RequestContext, etag: string): void {
  ctx.set('ETag', etag);
  ctx.status = 304;
}

function send(
  ctx: RequestContext,
  options: PageOptions,
  page: Page,
  key: string | undefined,
): void | Promise<void> {
  if (page.etag !== '') ctx.res.setHeader('ETag', page.etag);
  ctx.res.setHeader('Content-Type', 'application/json');
  if (
    !options.compress ||
    page.body.length < LEAST_ZIPPED_BYTES ||
    !acceptsGzip(ctx.req.headers['accept-encoding'])
  ) {
    ctx.body = page.body;
    return undefined;
  }
  ctx.set('Content-Encoding', 'gzip');
  if (page.zipped === undefined) return sendZipped(ctx, options.cache.zipped(key, page));
  ctx.body = page.zipped;
  return undefined;
}

async function sendZipped(ctx: RequestContext, zipping: Promise<Buffer>): Promise<void> {
  ctx.body = await zipping;
}

async function makePage(etag: string, rendering: Promise<string>): Promise<Page> {
  return { etag, body: Buffer.from(await rendering), zipped: undefined };
}

/** Everything an answer depends on; undefined when that cannot be said. */
function pageKey(ctx: RequestContext): string | undefined {
  const { route, visible, filterKey, parameters } = ctx.state;
  if (filterKey === undefined || parameters === undefined) return undefined;
  const { name, epoch } = registryOf(ctx);
  const classes = visible === 'all' ? visible : visible.join(',');
  // Only the last part is free text, and no other one has a line feed but the path's, each at the end of a value.
  return `${route?.name}\n${name}\n${epoch}\n${classes}\n${parameters.key}\n${filterKey}`;
}
