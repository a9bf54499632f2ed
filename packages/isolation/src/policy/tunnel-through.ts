import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { type EgressTarget, writeHost } from '@portolan/outbound';
import { proxyAuthorization } from './upstream-proxy.ts';

/**
 * Opens a tunnel through a proxy. Rejects with the proxy's status, its connection error, ETIMEDOUT, or when
 * aborted.
 */
export function tunnelThrough(
  proxy: URL,
  { host, port }: EgressTarget,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const authority = `${writeHost(host)}:${port}`;
  const authorization = proxyAuthorization(proxy);
  const request = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
    host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port),
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
    agent: false,
    signal,
  });
  const timer = setTimeout(
    () => request.destroy(Object.assign(new Error('The proxy does not respond'), { code: 'ETIMEDOUT' })),
    timeoutMs,
  );
  request.once('close', () => clearTimeout(timer)).on('error', reject);
  request.once('connect', ({ statusCode }, socket, head) => {
    clearTimeout(timer);
    if (statusCode !== undefined && statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
      return;
    }
    socket.destroy();
    reject(
      Object.assign(new Error(`The proxy responded with status ${statusCode}`), {
        code: `PROXY_${statusCode}`,
      }),
    );
  });
  // A proxy may respond to CONNECT with a non-2xx status like to any request.
  request.once('response', (response) => {
    response.destroy();
    reject(
      Object.assign(new Error('The proxy refused the tunnel'), { code: `PROXY_${response.statusCode}` }),
    );
  });
  request.end();
  return promise;
}
