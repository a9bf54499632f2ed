import {
  type ClientExchange,
  type ClientMessage,
  type ClientVerdict,
  isJsonObject,
  isPortolanError,
  type MessageChange,
  type ProxyMiddleware,
  type ServerVerdict,
} from '@portolan/plugin-api';
import { deepFrozen } from '../deep-frozen.ts';
import type { JudgedSample } from './proxy-middleware-under-test.ts';

/** A message as the proxy shows it. */
export function viewOf(text: string): ClientMessage {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new TypeError(`a message is an object, and this is none: ${text}`);
  const { id, method, params, result, error } = value;
  const shownParams = isJsonObject(params) ? params : undefined;
  if (typeof method !== 'string') {
    const shownError = isJsonObject(error) ? error : undefined;
    return deepFrozen({ kind: 'response', text, id: JSON.stringify(id), result, error: shownError });
  }
  return id === undefined
    ? deepFrozen({ kind: 'notification', text, method, params: shownParams })
    : deepFrozen({ kind: 'request', text, id: JSON.stringify(id), method, params: shownParams });
}

/** The surroundings of a message of a client, or of the one that a server answers. */
export function exchangeOf(
  { caller }: Pick<JudgedSample, 'caller'>,
  message?: ClientMessage,
): ClientExchange {
  const request = {
    method: 'POST',
    path: '/mcp',
    query: '',
    headers: {},
    remoteAddress: '127.0.0.1',
    remotePort: 50_000,
    receivedAt: new Date(0),
    caller,
    program: undefined,
  };
  return Object.freeze({
    request: Object.freeze(request),
    caller,
    era: 'legacy',
    sessionId: undefined,
    isBatch: false,
    message,
  });
}

/** What the middleware says of a sample; `throws` where it refuses by an error that the proxy can answer with. */
export async function judge(
  instance: ProxyMiddleware,
  sample: JudgedSample,
): Promise<ClientVerdict | ServerVerdict | 'throws' | undefined> {
  const view = viewOf(sample.text);
  try {
    if (sample.from === 'client')
      return (await instance.onMessage?.(view, exchangeOf(sample, view))) ?? undefined;
    const asked = sample.asked === undefined ? undefined : viewOf(sample.asked);
    return (await instance.onAnswer?.(view, exchangeOf(sample, asked))) ?? undefined;
  } catch (error) {
    if (isPortolanError(error) || (error instanceof Error && 'status' in error)) return 'throws';
    throw error;
  }
}

/** The message with the changes in it. Throws where one has no place. */
export function changed(text: string, changes: readonly MessageChange[]): unknown {
  let value: unknown = JSON.parse(text);
  // From the last to the first, since places are those of the message as it was.
  for (const { path, json } of changes.toReversed()) value = withChange(value, path, json);
  return value;
}

function withChange(
  value: unknown,
  [key, ...rest]: readonly (string | number)[],
  json: string | undefined,
): unknown {
  if (key === undefined) throw new RangeError('a path of a change is empty, or leads to nothing');
  if (Array.isArray(value)) {
    if (typeof key !== 'number' || !(key in value))
      throw new RangeError(`there is no ${String(key)} in the array`);
    if (rest.length > 0) return value.with(key, withChange(value[key], rest, json));
    return json === undefined ? value.toSpliced(key, 1) : value.with(key, JSON.parse(json));
  }
  if (!isJsonObject(value) || typeof key !== 'string') throw new RangeError(`there is no ${String(key)}`);
  if (rest.length > 0) return { ...value, [key]: withChange(value[key], rest, json) };
  if (json !== undefined) return { ...value, [key]: JSON.parse(json) };
  if (!Object.hasOwn(value, key)) throw new RangeError(`there is no ${key} to take away`);
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
