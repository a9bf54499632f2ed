import { findValue, isJsonObject, memberOf } from '@portolan/mcp-protocol';
import type {
  ClientExchange,
  ClientMessage,
  ClientVerdict,
  MessageChange,
  ProxyMiddleware,
  RequestView,
  ResponseView,
  ServerMessage,
  ServerVerdict,
} from '@portolan/plugin-api';
import type { Aggregate } from '../aggregate/aggregate.ts';
import { sealInvalid, toolUnknown, promptUnknown } from '../aggregate/protocol-errors.ts';
import { type ListKind, listKindOf } from '../lists/list-kind.ts';
import { pathNameOf } from '../names/path-name.ts';
import type { NamedItem } from '../names/name-directory.ts';
import { isListPosition, markChanges, markOf, type ListPosition } from './list-marks.ts';
import { pageOf } from './list-pages.ts';
import { renderList, type RenderedItem } from './rendered-list.ts';
import type { SearchTools } from './search-tools.ts';

const CURSOR = 'cursor';

/**
 * Maps names of clients to those of the message path, `member/own`, and back. So policies never see a name
 * that a setting or another member could change.
 */
export class NamesMiddleware implements ProxyMiddleware {
  readonly #aggregate: Aggregate;
  #search: SearchTools | undefined;

  constructor(aggregate: Aggregate, search: SearchTools | undefined) {
    this.#aggregate = aggregate;
    this.#search = search;
  }

  /** Replaces the tool search; undefined turns it off. */
  replaceSearch(search: SearchTools | undefined): void {
    this.#search = search;
  }

  onMessage(message: ClientMessage, { era }: ClientExchange): ClientVerdict | undefined {
    if (message.kind !== 'request') return undefined;
    const kind = listKindOf(message.method);
    if (kind !== undefined) return this.#list(message, kind);
    const { tools, prompts, apps } = this.#aggregate.names;
    const name = ['params', 'name'];
    switch (message.method) {
      case 'tools/call': {
        const resolve: Resolve = (one) => tools.resolve(one) ?? apps.resolve(one);
        return (
          this.#search?.change(message, tools, era === 'modern') ??
          rename(message, resolve, name, toolUnknown)
        );
      }
      case 'prompts/get':
        return rename(message, (one) => prompts.resolve(one), name, promptUnknown);
      case 'completion/complete':
        return isPromptReference(message)
          ? rename(message, (one) => prompts.resolve(one), ['params', 'ref', 'name'], promptUnknown)
          : undefined;
      default:
        return undefined;
    }
  }

  onResponse(
    message: ServerMessage,
    { message: request, era }: ClientExchange,
  ): ServerVerdict | undefined | Promise<ServerVerdict | undefined> {
    if (message.kind !== 'response' || request?.kind !== 'request') return undefined;
    const kind = listKindOf(request.method);
    if (kind === undefined || !isJsonObject(message.result)) return undefined;
    const items = this.#render(kind, message);
    const mark = markOf(request);
    if (mark?.find !== undefined && this.#search !== undefined)
      return this.#search.found(items, mark.find, era === 'modern');
    const shown = kind.items === 'tools' ? this.#search?.shown(items) : undefined;
    if (shown !== undefined) return { change: [{ path: ['result', kind.items], json: shown }] };
    return this.#page(kind, items, mark?.after);
  }

  #list(message: RequestView, kind: ListKind): ClientVerdict {
    const cursor = memberOf(message.params, CURSOR);
    if (cursor === undefined) return { change: [] };
    const after = typeof cursor === 'string' ? this.#aggregate.seal.open(purposeOf(kind), cursor) : undefined;
    if (!isListPosition(after)) return { refuse: { ...sealInvalid(CURSOR), status: 400 } };
    return {
      change: [{ path: ['params', CURSOR], json: undefined }, ...markChanges(message, { after })],
    };
  }

  #render(kind: ListKind, message: ResponseView): readonly RenderedItem[] {
    const { names } = this.#aggregate;
    const directory = kind.items === 'prompts' ? names.prompts : names.tools;
    return renderList(
      kind,
      message,
      {
        expose: (member, own) => directory.expose(member, own),
        settingsOf: (name) => this.#aggregate.memberNamed(name)?.source.settings,
      },
      directory.epoch,
    );
  }

  #page(kind: ListKind, items: readonly RenderedItem[], after: ListPosition | undefined): ServerVerdict {
    const { json, next } = pageText(items, after);
    const change: MessageChange[] = [{ path: ['result', kind.items], json }];
    if (next !== undefined) {
      const cursor = this.#aggregate.seal.close(purposeOf(kind), next);
      change.push({ path: ['result', 'nextCursor'], json: JSON.stringify(cursor) });
    }
    return { change };
  }
}

interface PageText {
  readonly json: string;
  readonly next: ListPosition | undefined;
}

/** First pages of lists, which are the same for each caller with the list. */
const FIRST_PAGES = new WeakMap<readonly RenderedItem[], PageText>();

function pageText(items: readonly RenderedItem[], after: ListPosition | undefined): PageText {
  const known = after === undefined ? FIRST_PAGES.get(items) : undefined;
  if (known !== undefined) return known;
  const { items: page, next } = pageOf(items, after);
  const text = { json: `[${page.map((item) => item.text).join(',')}]`, next };
  if (after === undefined) FIRST_PAGES.set(items, text);
  return text;
}

type Resolve = (name: string) => NamedItem | undefined;

function purposeOf({ method }: ListKind): string {
  return `cursor of ${method}`;
}

function rename(
  message: RequestView,
  resolve: Resolve,
  path: readonly string[],
  unknown: typeof toolUnknown,
): ClientVerdict {
  const span = findValue(message.text, path);
  const name: unknown = span === undefined ? undefined : JSON.parse(message.text.slice(span.start, span.end));
  const item = typeof name === 'string' ? resolve(name) : undefined;
  if (item === undefined) return { refuse: { ...unknown(message.params), status: 404 } };
  return { change: [{ path, json: JSON.stringify(pathNameOf(item.member, item.own)) }] };
}

function isPromptReference({ params }: RequestView): boolean {
  const ref = memberOf(params, 'ref');
  return isJsonObject(ref) && memberOf(ref, 'type') === 'ref/prompt';
}
