/** Accepts an empty text or a path. */
export function isEndpointPrefix(text: string): boolean {
  return /^(?:\/[\w.~!$&'()*+,;=:@%/-]*)?$/.test(text);
}
