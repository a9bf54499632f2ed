import { isJsonObject, memberOf } from '@portolan/plugin-api';
import type { ListKind } from '../compare/difference.ts';

/** Item that a request of a client is about. A resource is named by its URI. */
export interface NamedItem {
  readonly kind: ListKind;
  readonly name: string;
}

type Params = Readonly<Record<string, unknown>> | undefined;

/** Kind of the item that a method is about, and the parameter that names it. */
const NAMES: Readonly<Record<string, { readonly kind: ListKind; readonly param: string }>> = {
  'tools/call': { kind: 'tool', param: 'name' },
  'prompts/get': { kind: 'prompt', param: 'name' },
  'resources/read': { kind: 'template', param: 'uri' },
  'resources/subscribe': { kind: 'template', param: 'uri' },
};

/** References of `completion/complete`. The protocol completes no tools, but some servers do. */
const REFERENCES: Readonly<Record<string, { readonly kind: ListKind; readonly param: string }>> = {
  'ref/tool': { kind: 'tool', param: 'name' },
  'ref/prompt': { kind: 'prompt', param: 'name' },
  'ref/resource': { kind: 'template', param: 'uri' },
};

const COMPLETE = 'completion/complete';
const LISTEN = 'subscriptions/listen';

/** Methods whose requests name an item. */
export const GUARDED_METHODS: readonly string[] = [...Object.keys(NAMES), COMPLETE, LISTEN];

/** Returns the usual spelling of a method: without white space around it, in lower case. */
export function spellingOf(method: string): string {
  return method.trim().toLowerCase();
}

/** Returns the items that a request is about; `unnamed` if a required name is missing. */
export function findNamedItems(method: string, params: Params): readonly NamedItem[] | 'unnamed' {
  const row = Object.hasOwn(NAMES, method) ? NAMES[method] : undefined;
  if (row !== undefined) return readName(row, params);
  if (method === COMPLETE) return findReference(memberOf(params, 'ref'));
  return method === LISTEN ? findSubscribed(memberOf(params, 'notifications')) : [];
}

function readName(
  { kind, param }: { readonly kind: ListKind; readonly param: string },
  params: unknown,
): readonly NamedItem[] | 'unnamed' {
  const name = memberOf(params, param);
  return typeof name === 'string' ? [{ kind, name }] : 'unnamed';
}

function findReference(ref: unknown): readonly NamedItem[] | 'unnamed' {
  const type = memberOf(ref, 'type');
  const row = typeof type === 'string' && Object.hasOwn(REFERENCES, type) ? REFERENCES[type] : undefined;
  return row === undefined ? 'unnamed' : readName(row, ref);
}

function findSubscribed(notifications: unknown): readonly NamedItem[] | 'unnamed' {
  const uris = isJsonObject(notifications) ? memberOf(notifications, 'resourceSubscriptions') : undefined;
  if (uris === undefined) return [];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) return 'unnamed';
  return uris.map((name) => ({ kind: 'template', name }));
}
