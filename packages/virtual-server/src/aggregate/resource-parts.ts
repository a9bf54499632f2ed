/** Returns whether a URI is that of a part of a resource, such as a file of a folder. */
export function isBelow(uri: string, above: string): boolean {
  return uri.startsWith(above.endsWith('/') ? above : `${above}/`);
}
