/**
 * Parses the URL of a session store. Undefined unless it has a host, a scheme other than http, and no
 * password.
 */
export function findStoreAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || url.password !== '') return undefined;
  return /^(?!https?:)[a-z][a-z0-9-]*:$/.test(url.protocol) ? url : undefined;
}
