import { isLoopbackHost } from '@portolan/outbound';

export type ReadAddress =
  | { readonly url: undefined; readonly fault: 'no-url' }
  | { readonly url: URL; readonly fault: 'protocol' | 'login' | undefined };

export function readRegistryAddress(text: string): ReadAddress {
  const url = URL.parse(text);
  if (url === null || url.hostname === '') return { url: undefined, fault: 'no-url' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { url, fault: 'protocol' };
  return { url, fault: url.username !== '' || url.password !== '' ? 'login' : undefined };
}

/** Returns whether the address is loopback (RFC 6761, section 6.3), so that data stays on this machine. */
export function isThisMachine({ hostname }: Pick<URL, 'hostname'>): boolean {
  return hostname.endsWith('.localhost') || isLoopbackHost(hostname);
}
