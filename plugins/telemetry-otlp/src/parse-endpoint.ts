import type { OtlpConfig } from './otlp-config.ts';

/** Returns the base address of `/v1/traces` and `/v1/metrics`, or a fault. */
export function parseEndpoint({
  endpoint,
  insecure,
}: Pick<OtlpConfig, 'endpoint' | 'insecure'>): URL | { readonly fault: string } {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(endpoint)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https')
    return { fault: 'HOST:PORT, or an address that begins with http:// or https://' };
  if (scheme === 'https' && insecure) return { fault: 'http://, HOST:PORT, or no "insecure: true" with it' };
  const text = scheme === undefined ? `${insecure ? 'http' : 'https'}://${endpoint}` : endpoint;
  const address = URL.parse(text);
  if (address === null || address.hostname === '') return { fault: 'HOST:PORT, such as localhost:4318' };
  if (address.username !== '' || address.password !== '')
    return { fault: 'an address without user and password; credentials belong in "headers"' };
  if (address.search !== '' || address.hash !== '') return { fault: 'an address without ? and #' };
  return address;
}

export function signalAddress(base: URL, signal: 'traces' | 'metrics'): string {
  return `${base.origin}${base.pathname.replace(/\/+$/, '')}/v1/${signal}`;
}
