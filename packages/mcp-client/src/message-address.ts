import { joinAddress, resolveReference } from '@portolan/plugin-api';

export interface MessageAddressOptions {
  readonly url: URL;
  /** Prefix of the paths that clients behind a reverse proxy use. Local clients leave it out. */
  readonly endpointPrefix: string;
}

/**
 * Returns the address for messages: path and query of the `endpoint` event, and scheme, host and port of the
 * stream. Throws a TypeError when the event contains no path.
 */
export function messageAddressOf(endpoint: string, { url, endpointPrefix }: MessageAddressOptions): URL {
  const announced = resolveReference(url, endpoint.trim());
  if (announced === undefined) throw new TypeError('the endpoint event contains no address');
  const { pathname, search } = announced;
  const prefix = endpointPrefix.replace(/\/$/, '');
  const isPrefixed = prefix !== '' && pathname.startsWith(`${prefix}/`);
  return joinAddress(url, `${isPrefixed ? pathname.slice(prefix.length) : pathname}${search}`);
}
