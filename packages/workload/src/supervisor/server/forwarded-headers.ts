import type { ForwardedHeader } from '@portolan/plugin-api';
import type { Supervision } from '../supervision.ts';

export function forwardedHeaders({
  config,
  order,
}: Pick<Supervision, 'config' | 'order'>): readonly ForwardedHeader[] {
  const headers = { ...config.header_forward?.add_plaintext_headers, ...order.headers };
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
