import type { ProxyMiddleware } from '@portolan/plugin-api';

/** Adds to each response the request for which the policy judged it. */
export const ASKED: ProxyMiddleware = {
  onResponse: (message, { message: asked }) =>
    message.kind === 'response' && asked?.kind === 'request' && message.error === undefined
      ? { change: [{ path: ['result', 'asked'], json: JSON.stringify(asked.method) }] }
      : undefined,
};
