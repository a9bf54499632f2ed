/** Requires a scheme other than http, a host, and no password. */
export function findStoreAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || url.password !== '') return undefined;
  return /^(?!https?:)[a-z][a-z0-9-]*:$/.test(url.protocol) ? url : undefined;
}
