import type { FetchOptions, OpenFetch } from '@portolan/plugin-api';
import type { AddressRules } from './address-rules.ts';

/**
 * Calls `openFetch` of the neighbouring file, which is loaded on the first call, because most commands never
 * need it.
 */
export async function openFetch(options: FetchOptions, rules?: Partial<AddressRules>): Promise<OpenFetch> {
  const { openFetch: open } = await import('./open-fetch.ts');
  return await open(options, rules);
}
