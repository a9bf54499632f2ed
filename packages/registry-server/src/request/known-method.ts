const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Clients invent methods; labels and names of spans stay few. */
export function knownMethod(method: string): string {
  return METHODS.has(method) ? method : '_OTHER';
}
