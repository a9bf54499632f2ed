import type { FetchOptions, OpenFetch } from '@portolan/plugin-api';
import type { AddressRules } from './address-rules.ts';

/**
 * As `openFetch` of the file beside: what it is made of is loaded when it is
 * called, which in most commands nobody does.
 */
export async function openFetch(options: FetchOptions, rules?: Partial<AddressRules>): Promise<OpenFetch> {
  const { openFetch: open } = await import('./open-fetch.ts');
  return await open(options, rules);
}
