/** Hosts for which http is allowed; all others need https. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.has(hostname);
}

/**
 * Returns why an address must not receive tokens, codes or secrets, as the end of a sentence without query,
 * user or password.
 */
export function findAddressFault(text: unknown): string | undefined {
  if (typeof text !== 'string') return 'is no text';
  if (text.length > 4096) return `is ${text.length} characters long`;
  const url = URL.parse(text);
  if (url === null) return 'is no absolute address';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    return `begins with ${url.protocol}//${url.hostname}, and only https is used there`;
  }
  if (url.username !== '' || url.password !== '') return 'holds a user or a password';
  return url.hash === '' ? undefined : 'has a fragment';
}
