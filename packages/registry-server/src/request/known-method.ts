const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Returns the method if it is a known one, otherwise a fixed name, so that clients cannot create arbitrary
 * metrics and span names.
 */
export function knownMethod(method: string): string {
  return METHODS.has(method) ? method : '_OTHER';
}
