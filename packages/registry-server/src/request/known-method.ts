const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Maps unknown methods to one label, so that clients cannot create arbitrary series and span names. */
export function knownMethod(method: string): string {
  return METHODS.has(method) ? method : '_OTHER';
}
