import type { NotificationView, ProxyMiddlewareKind, ServerVerdict } from '@portolan/plugin-api';
import { checkToolFilter } from './check-tool-filter.ts';
import { judgeCall } from './judge-call.ts';
import { judgeList } from './judge-list.ts';
import { toolFilterConfig } from './tool-filter-config.ts';
import { ToolNames } from './tool-names.ts';

/**
 * Shows clients some tools of a server, under other names if that is wanted.
 * What stands further in sees the names of the server.
 */
export const toolFilter: ProxyMiddlewareKind<typeof toolFilterConfig> = {
  kind: 'tool-filter',
  config: toolFilterConfig,
  placed: 'names',
  check: checkToolFilter,
  create: (config, { workload }) => {
    const names = new ToolNames(config);
    return {
      onMessage: (message, exchange) => judgeCall(names, workload.transport, message, exchange),
      onAnswer: (message, { message: asked }) => {
        if (message.kind === 'notification') return withoutList(message);
        const isList =
          message.kind === 'response' && asked?.kind === 'request' && asked.method === 'tools/list';
        return isList ? judgeList(names, message) : undefined;
      },
    };
  },
};

/** That tools have changed is told without them: whoever wants to know asks for the list. */
function withoutList({ method, params = {} }: NotificationView): ServerVerdict | undefined {
  if (method !== 'notifications/tools/list_changed') return undefined;
  const change = Object.keys(params)
    .filter((name) => name !== '_meta')
    .map((name) => ({ path: ['params', name], json: undefined }));
  return change.length === 0 ? undefined : { change };
}
