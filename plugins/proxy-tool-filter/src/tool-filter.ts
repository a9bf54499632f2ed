import { bareListChange, type ProxyMiddlewareKind } from '@portolan/plugin-api';
import { checkToolFilter } from './check-tool-filter.ts';
import { judgeCall } from './judge-call.ts';
import { JudgedLists } from './judged-lists.ts';
import { toolFilterConfig } from './tool-filter-config.ts';
import { ToolNames } from './tool-names.ts';

/**
 * Shows clients a selection of a server's tools, optionally renamed. Later middleware sees the server's
 * names.
 */
export const toolFilter: ProxyMiddlewareKind<typeof toolFilterConfig> = {
  kind: 'tool-filter',
  config: toolFilterConfig,
  placed: 'names',
  check: checkToolFilter,
  create: (config) => {
    const names = new ToolNames(config);
    const lists = new JudgedLists(names);
    return {
      namedTools: () => names.configured,
      onMessage: (message) => judgeCall(names, message),
      onResponse: (message, { message: request }) => {
        if (message.kind === 'notification') return bareListChange(message);
        const isList =
          message.kind === 'response' && request?.kind === 'request' && request.method === 'tools/list';
        return isList ? lists.judge(message) : undefined;
      },
    };
  },
};
