import type { IncomingMessage } from 'node:http';

/** Host and port as they may stand in a Host header (RFC 9110, section 7.2). */
export const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/;

/** The form of targets that is meant for proxies, and which every server has to take (RFC 9112, section 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Gives a request in absolute form the usual one, path and query, and the host
 * of its target in place of the header's. Leaves alone what has no such form.
 */
export function useOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.startsWith('/')) return;
  const [, host = '', rest = ''] = ABSOLUTE.exec(url) ?? [];
  if (!HOST.test(host)) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = host;
}

/** How many Host headers a request came with; Node keeps only the first. */
export function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
