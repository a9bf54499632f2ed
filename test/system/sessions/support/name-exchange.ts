import type { ProxyMiddleware } from '@portolan/plugin-api';

/** Says in each answer to what it was judged as an answer. */
export const ASKED: ProxyMiddleware = {
  onResponse: (message, { message: asked }) =>
    message.kind === 'response' && asked?.kind === 'request' && message.error === undefined
      ? { change: [{ path: ['result', 'asked'], json: JSON.stringify(asked.method) }] }
      : undefined,
};
