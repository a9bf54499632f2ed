import { type ClientMessage, isJsonObject } from '@portolan/plugin-api';

/** What a message is about. */
export interface NamedTarget {
  readonly kind: 'tool' | 'prompt' | 'resource';
  readonly name: string;
}

const NAMED: ReadonlyMap<string, readonly [kind: NamedTarget['kind'], member: string]> = new Map([
  ['tools/call', ['tool', 'name']],
  ['prompts/get', ['prompt', 'name']],
  ['resources/read', ['resource', 'uri']],
  ['resources/subscribe', ['resource', 'uri']],
  ['resources/unsubscribe', ['resource', 'uri']],
]);

/** The tool, prompt or resource that a message names. Of addresses, user, password and query are left out. */
export function namedTargetOf(message: ClientMessage): NamedTarget | undefined {
  if (message.kind === 'response') return undefined;
  const found = NAMED.get(message.method);
  const { params } = message;
  if (found === undefined || params === undefined) return undefined;
  const [kind, member] = found;
  const name = Object.hasOwn(params, member) ? params[member] : undefined;
  if (typeof name !== 'string') return undefined;
  return { kind, name: kind === 'resource' ? withoutSecrets(name) : name };
}

function withoutSecrets(address: string): string {
  const end = address.search(/[?#]/);
  const place = end < 0 ? address : `${address.slice(0, end)}?…`;
  return place.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}

/** The trace that a message says it belongs to, as it came. */
export function traceIn(message: ClientMessage): {
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
} {
  const params = message.kind === 'response' ? undefined : message.params;
  const meta = params !== undefined && Object.hasOwn(params, '_meta') ? params['_meta'] : undefined;
  const textOf = (name: string): string | undefined => {
    const value = isJsonObject(meta) && Object.hasOwn(meta, name) ? meta[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  return { traceparent: textOf('traceparent'), tracestate: textOf('tracestate') };
}
