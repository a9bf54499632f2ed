const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Keeps clients from creating arbitrary series and span names. */
export function knownMethod(method: string): string {
  return METHODS.has(method) ? method : '_OTHER';
}
