import { type ClientMessage, isJsonObject } from '@portolan/plugin-api';

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

/** Returns the target of a message. Removes user, password and query from URIs. */
export function namedTargetOf(message: ClientMessage): NamedTarget | undefined {
  if (message.kind === 'response') return undefined;
  const matches = NAMED.get(message.method);
  const { params } = message;
  if (matches === undefined || params === undefined) return undefined;
  const [kind, member] = matches;
  const name = Object.hasOwn(params, member) ? params[member] : undefined;
  if (typeof name !== 'string') return undefined;
  return { kind, name: kind === 'resource' ? withoutSecrets(name) : name };
}

function withoutSecrets(address: string): string {
  const end = address.search(/[?#]/);
  const place = end < 0 ? address : `${address.slice(0, end)}?…`;
  return place.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}

/** Returns the trace context in a message's `_meta`, unchecked. */
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
