import { resolveReference } from '@portolan/plugin-api';

const NOWHERE = new URL('http://nowhere.invalid');
const MAX_CHARACTERS = 1024;

/**
 * Returns the local path to return to after a login; `/` for anything that a browser could read as another
 * host.
 */
export function returnPath(text: string | null | undefined): string {
  if (text === null || text === undefined || text.length > MAX_CHARACTERS) return '/';
  if (!/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text)) return '/';
  const url = resolveReference(NOWHERE, text);
  if (url?.origin !== NOWHERE.origin) return '/';
  return /^\/log(?:in|out)(?:\/|$)/.test(url.pathname) ? '/' : `${url.pathname}${url.search}`;
}
