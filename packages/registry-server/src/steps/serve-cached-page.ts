import { CatalogOutdated } from '@portolan/registry';
import { acceptsGzip } from '../responses/accepts-gzip.ts';
import { entityTag, matchesTag } from '../responses/entity-tag.ts';
import { listView } from '../responses/list-view.ts';
import type { Page, PageCache } from '../responses/page-cache.ts';
import { isInProcess } from '../listen/in-process.ts';
import { type RequestContext, registryOf } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';

/** Minimum size for compression, in bytes. */
const LEAST_ZIPPED_BYTES = 1024;

export interface PageOptions {
  readonly cache: PageCache;
  readonly compress: boolean;
  readonly vary: string;
  /**
   * `list` when the entity tag of a caller who sees everything covers the whole list. Sent as
   * `Portolan-Tag-Covers`.
   */
  readonly covers: 'list' | undefined;
}

export interface Render {
  readonly name: string;
  readonly make: (ctx: RequestContext) => Promise<string>;
}

/** Creates a function that renders a response, with the name of its file or function. */
export function render(name: string, make: Render['make']): Render {
  return { name, make };
}

/**
 * Caches responses by a key of everything that they depend on, first the epoch. Without a key, it caches
 * nothing and sends no tag.
 * The tag of a caller who sees everything is a hash of the key, so a 304 needs no read of entries. The tag of
 * others is a hash of what they see, so changes of hidden entries do not change it.
 */
export function answerPage(options: PageOptions, { name, make }: Render): Step {
  const respond: Step['run'] = (ctx) => {
    const key = pageKey(ctx);
    ctx.res.setHeader('Cache-Control', 'no-cache');
    ctx.res.setHeader('Vary', options.vary);
    if (key === undefined) return answerUnshared(ctx, options, make);
    const view = viewKey(ctx);
    const isOfView = view !== undefined && !isInProcess(ctx.req);
    if (options.covers !== undefined) {
      if (!isOfView) ctx.res.setHeader('Portolan-Tag-Covers', options.covers);
      ctx.res.setHeader('Portolan-View', listView(registryOf(ctx), ctx.state.visible));
    }
    const page = options.cache.find(key);
    const etag = page?.etag ?? entityTag(key);
    const makeNew = (): Promise<Page> => makePage({ etag, view }, make(ctx));
    if (isOfView) {
      return page === undefined
        ? answerNewView(ctx, options, key, makeNew)
        : whenConfirmed(ctx, () => answerView(ctx, options, page, key));
    }
    if (matchesTag(ctx.req.headers['if-none-match'], etag))
      return whenConfirmed(ctx, () => answerNotModified(ctx, etag));
    if (page !== undefined) return whenConfirmed(ctx, () => send(ctx, options, page, key));
    return answerNew(ctx, options, key, makeNew);
  };
  return step('answerPage', respond, name);
}

async function answerNewView(
  ctx: RequestContext,
  options: PageOptions,
  key: string,
  make: () => Promise<Page>,
): Promise<void> {
  await answerView(ctx, options, await loadPage(ctx, options, key, make), key);
}

function answerView(
  ctx: RequestContext,
  options: PageOptions,
  page: Page,
  key: string,
): void | Promise<void> {
  const { viewTag = '' } = page;
  if (matchesTag(ctx.req.headers['if-none-match'], viewTag)) return answerNotModified(ctx, viewTag);
  return send(ctx, options, page, key, viewTag);
}

/**
 * Responds after verifying that the catalog is current. Needed when the response involves no statement on
 * entries, which would verify the catalog itself. Throws CatalogOutdated.
 */
function whenConfirmed(ctx: RequestContext, respond: () => void | Promise<void>): void | Promise<void> {
  const { confirmCatalog } = ctx.state;
  return confirmCatalog === undefined ? respond() : confirmFirst(confirmCatalog(ctx.state), respond);
}

async function confirmFirst(confirming: Promise<boolean>, next: () => void | Promise<void>): Promise<void> {
  if (!(await confirming)) throw new CatalogOutdated();
  await next();
}

async function answerNew(ctx: RequestContext, options: PageOptions, key: string, make: () => Promise<Page>) {
  await send(ctx, options, await loadPage(ctx, options, key, make), key);
}

function loadPage(
  ctx: RequestContext,
  options: PageOptions,
  key: string,
  make: () => Promise<Page>,
): Promise<Page> {
  // Callers with a verified catalog must not wait for one whose catalog may be outdated.
  const shared = ctx.state.confirmCatalog === undefined ? key : `?${key}`;
  return options.cache.load(key, make, shared);
}

async function answerUnshared(
  ctx: RequestContext,
  options: PageOptions,
  make: Render['make'],
): Promise<void> {
  await send(ctx, options, await makePage({ etag: '', view: undefined }, make(ctx)), undefined);
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
  etag = page.etag,
): void | Promise<void> {
  if (etag !== '') ctx.res.setHeader('ETag', etag);
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

/** Creates a page with its entity tags. `view` is undefined for callers who see everything. */
async function makePage(
  { etag, view }: { readonly etag: string; readonly view: string | undefined },
  rendering: Promise<string>,
): Promise<Page> {
  const text = await rendering;
  const viewTag = view === undefined ? undefined : entityTag(`${view}\n${text}`);
  return { etag, viewTag, body: Buffer.from(text), zipped: undefined };
}

/** Returns a key for everything that a response depends on; undefined when that is unknown. */
function pageKey(ctx: RequestContext): string | undefined {
  return keyWith(ctx, registryOf(ctx).epoch);
}

/**
 * Returns a key for everything besides the entries that a response depends on; undefined for callers who see
 * everything.
 */
function viewKey(ctx: RequestContext): string | undefined {
  const { visible, filterKey } = ctx.state;
  return visible === 'all' && filterKey === '' ? undefined : keyWith(ctx, '');
}

function keyWith(ctx: RequestContext, epoch: string): string | undefined {
  const { route, visible, filterKey, parameters } = ctx.state;
  if (filterKey === undefined || parameters === undefined) return undefined;
  const { name } = registryOf(ctx);
  const classes = visible === 'all' ? visible : visible.join(',');
  // Unambiguous: only the last part is free text, and only path values end with a line feed.
  return `${route?.name}\n${name}\n${epoch}\n${classes}\n${parameters.key}\n${filterKey}`;
}
