import type { OpenFetch, FetchOptions } from '@portolan/plugin-api';

/**
 * As `openFetch` of the file beside: what it is made of is loaded when it is
 * called, which in most commands nobody does.
 */
export async function openFetch(options: FetchOptions): Promise<OpenFetch> {
  const { openFetch: open } = await import('./open-fetch.ts');
  return await open(options);
}
