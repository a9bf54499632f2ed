/** Whether a text is a path that the proxy puts in front of what it tells clients, or empty. */
export function isEndpointPrefix(text: string): boolean {
  return /^(?:\/[\w.~!$&'()*+,;=:@%/-]*)?$/.test(text);
}
