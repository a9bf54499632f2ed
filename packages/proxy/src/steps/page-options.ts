import { isLoopbackHost } from '@portolan/outbound';
import { clientPathOf } from '../request/client-path.ts';
import type { ProxyOptions } from '../request/proxy-options.ts';
import type { OwnPathGuards } from './serve-own-paths.ts';
import type { OuterAddressOptions } from './outer-address.ts';

export function pageOptions(options: ProxyOptions): OwnPathGuards {
  const { host = '127.0.0.1', resourceUrl, allowedOrigins = [], trustProxyHeaders = false } = options;
  const listensOnLoopback = isLoopbackHost(host);
  return {
    hosts: { listensOnLoopback, resourceUrl },
    origins: { host, listensOnLoopback, allowedOrigins, resourceUrl, trustProxyHeaders },
  };
}

export function outerAddressOptions(options: ProxyOptions): OuterAddressOptions {
  const { authProvider, backend, resourceUrl, endpointPrefix, trustProxyHeaders = false } = options;
  return {
    resource: authProvider?.protectedResource?.resource ?? resourceUrl?.href,
    clientPath: clientPathOf(backend),
    endpointPrefix,
    trustProxyHeaders,
  };
}
