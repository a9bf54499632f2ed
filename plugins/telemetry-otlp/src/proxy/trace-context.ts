import {
  type ClientMessage,
  type ConfigBlock,
  isJsonObject,
  type MessageChange,
  type ProxyMiddlewareKind,
} from '@portolan/plugin-api';
import { traceIn } from './named-target.ts';
import { spanOf } from './running-spans.ts';

/** It has no settings: what is traced is said where it is observed. */
export const traceContextConfig = {
  type: 'object',
  description: 'Tells the server to which trace a call belongs.',
  properties: {},
} as const satisfies ConfigBlock;

/**
 * Tells the server of the span that runs: in `_meta` of a request where it reads
 * messages alone, by headers where it speaks HTTP, and in `_meta` there too
 * where the client has named a trace. Stands in `mutate`, so that what is judged
 * after it is what the server gets.
 */
export const traceContext: ProxyMiddlewareKind<typeof traceContextConfig> = {
  kind: 'trace-context',
  placed: 'mutate',
  config: traceContextConfig,
  create: (_config, { workload }) => {
    const speaksHttp = workload.transport !== 'stdio' || workload.isRemote;
    return {
      onMessage: (message, { request }) => {
        const running = spanOf(request, message);
        if (running === undefined || message.kind !== 'request') return undefined;
        if (speaksHttp && traceIn(message).traceparent === undefined) return undefined;
        return { change: changesOf(message, running.headers) };
      },
      ...(speaksHttp
        ? {
            credentials: (_outgoing, { request, message }) =>
              Object.entries(spanOf(request, message)?.headers ?? {}).map(([name, value]) => ({
                name,
                value,
              })),
          }
        : {}),
    };
  },
};

const NAMES = ['traceparent', 'tracestate'] as const;

function changesOf(
  { params }: ClientMessage & { readonly kind: 'request' },
  headers: Readonly<Record<string, string>>,
): readonly MessageChange[] {
  const given = Object.fromEntries(
    Object.entries(headers).filter(([name]) => NAMES.some((one) => one === name)),
  );
  if (params === undefined) return [{ path: ['params'], json: JSON.stringify({ _meta: given }) }];
  const meta = Object.hasOwn(params, '_meta') ? params['_meta'] : undefined;
  if (!isJsonObject(meta)) return [{ path: ['params', '_meta'], json: JSON.stringify(given) }];
  return NAMES.flatMap((name): MessageChange[] => {
    const value = given[name];
    // What the client said of another span is not true of this one.
    if (value === undefined && !Object.hasOwn(meta, name)) return [];
    return [
      { path: ['params', '_meta', name], json: value === undefined ? undefined : JSON.stringify(value) },
    ];
  });
}
