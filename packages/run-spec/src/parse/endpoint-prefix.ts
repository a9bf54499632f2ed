/** Returns whether a text is empty or a path that the proxy prepends to addresses for clients. */
export function isEndpointPrefix(text: string): boolean {
  return /^(?:\/[\w.~!$&'()*+,;=:@%/-]*)?$/.test(text);
}
