import { type ClientMessage, type ClientRequest, isJsonObject } from '@portolan/plugin-api';
import { plain } from '../audit-line.ts';
import { maskText } from '../mask-text.ts';
import type { ProxyEventType } from './proxy-events.ts';

/** Target of each method: its type, and the parameter with its name. */
const NAMED: ReadonlyMap<string, readonly [type: string, ...path: string[]]> = new Map([
  ['tools/call', ['tool', 'name']],
  ['prompts/get', ['prompt', 'name']],
  ['resources/read', ['resource', 'uri']],
  ['resources/subscribe', ['resource', 'uri']],
  ['resources/unsubscribe', ['resource', 'uri']],
  ['tasks/get', ['task', 'taskId']],
  ['tasks/result', ['task', 'taskId']],
  ['tasks/update', ['task', 'taskId']],
  ['tasks/cancel', ['task', 'taskId']],
]);

/** Type of the items of each list. */
const LISTED: ReadonlyMap<string, string> = new Map([
  ['tools/list', 'tool'],
  ['prompts/list', 'prompt'],
  ['resources/list', 'resource'],
  ['resources/templates/list', 'resource'],
]);

export interface TargetInput {
  readonly request: ClientRequest;
  readonly type: ProxyEventType;
  /** As the server receives it. */
  readonly message: ClientMessage | undefined;
  /** As the client sent it, if the text differs. */
  readonly original: ClientMessage | undefined;
}

/** Returns the target of a message by the server's name. Adds the client's name if it differs. */
export function proxyTargetOf({ request, type, message, original }: TargetInput) {
  const endpoint = plain(request.path);
  if (message === undefined || message.kind === 'response') {
    const kind = type === 'sse_connection' ? 'sse_endpoint' : (message?.kind ?? 'endpoint');
    return { endpoint, method: plain(request.method), type: kind };
  }
  const named = nameIn(message);
  const visible = original === undefined ? undefined : nameIn(original)?.name;
  return {
    endpoint,
    method: plain(message.method),
    ...(named === undefined ? {} : { type: named.type }),
    ...(named?.name === undefined ? {} : { name: shown(named.name) }),
    ...(visible === undefined || visible === named?.name ? {} : { visible_name: shown(visible) }),
  };
}

export function nameIn(
  message: ClientMessage,
): { readonly type: string; readonly name: string | undefined } | undefined {
  if (message.kind === 'response') return undefined;
  const { method, params } = message;
  const listed = LISTED.get(method);
  if (listed !== undefined) return { type: listed, name: undefined };
  if (method === 'completion/complete') return completedIn(params?.['ref']);
  const matches = NAMED.get(method);
  if (matches === undefined) return undefined;
  const [type, member = ''] = matches;
  const name = params !== undefined && Object.hasOwn(params, member) ? params[member] : undefined;
  return { type, name: typeof name === 'string' ? name : undefined };
}

function completedIn(ref: unknown): ReturnType<typeof nameIn> {
  if (!isJsonObject(ref)) return undefined;
  const [name, uri] = [ref['name'], ref['uri']];
  if (typeof uri === 'string') return { type: 'resource', name: uri };
  return { type: 'prompt', name: typeof name === 'string' ? name : undefined };
}

/** Formats an address without user, password and query. */
function shown(name: string): string {
  return plain(maskText(name));
}
