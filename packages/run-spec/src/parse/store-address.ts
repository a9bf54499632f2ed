/** The address of a session store that a text is: of some scheme but http, with a host, and without a password. */
export function findStoreAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || url.password !== '') return undefined;
  return /^(?!https?:)[a-z][a-z0-9-]*:$/.test(url.protocol) ? url : undefined;
}
