import {
  type ClientMessage,
  type ConfigBlock,
  isJsonObject,
  type MessageChange,
  type ProxyMiddlewareKind,
} from '@portolan/plugin-api';
import { traceIn } from './named-target.ts';
import { spanOf } from './running-spans.ts';

/** Schema without settings: the telemetry middleware configures tracing. */
export const traceContextConfig = {
  type: 'object',
  description: 'Propagates the trace of a call to the server.',
  properties: {},
} as const satisfies ConfigBlock;

/**
 * Propagates the active span: in `_meta` for stdio servers, in headers for HTTP servers, and also in `_meta`
 * if the client used it.
 * It runs in `mutate`, so that later middleware judges what the server gets.
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
  const input = Object.fromEntries(
    Object.entries(headers).filter(([name]) => NAMES.some((one) => one === name)),
  );
  if (params === undefined) return [{ path: ['params'], json: JSON.stringify({ _meta: input }) }];
  const meta = Object.hasOwn(params, '_meta') ? params['_meta'] : undefined;
  if (!isJsonObject(meta)) return [{ path: ['params', '_meta'], json: JSON.stringify(input) }];
  return NAMES.flatMap((name): MessageChange[] => {
    const value = input[name];
    // The client's value describes another span, so replace it.
    if (value === undefined && !Object.hasOwn(meta, name)) return [];
    return [
      { path: ['params', '_meta', name], json: value === undefined ? undefined : JSON.stringify(value) },
    ];
  });
}
