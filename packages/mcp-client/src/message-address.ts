import { joinAddress, resolveReference } from '@portolan/plugin-api';

export interface MessageAddressOptions {
  /** Address of the event stream at the proxy of the workload. */
  readonly url: URL;
  /** Prefix that a reverse proxy in front adds to paths; clients on this machine do without it. */
  readonly endpointPrefix: string;
}

/**
 * Returns where a client on this machine posts messages, from the data of an
 * `endpoint` event of the workload's proxy. The event decides path and query;
 * scheme, host and port are those of the stream. Throws a TypeError when the
 * event holds no path.
 */
export function messageAddressOf(endpoint: string, { url, endpointPrefix }: MessageAddressOptions): URL {
  const announced = resolveReference(url, endpoint.trim());
  if (announced === undefined) throw new TypeError('the endpoint event holds no address');
  const { pathname, search } = announced;
  const prefix = endpointPrefix.replace(/\/$/, '');
  const isPrefixed = prefix !== '' && pathname.startsWith(`${prefix}/`);
  return joinAddress(url, `${isPrefixed ? pathname.slice(prefix.length) : pathname}${search}`);
}
