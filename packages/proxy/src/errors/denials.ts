/** A set, because plugins create some of them. */
const DENIALS = new WeakSet<Error>();

/** Over streamable HTTP, a request gets such an error with status 200. */
export function markDenial<Denial extends Error>(error: Denial): Denial {
  DENIALS.add(error);
  return error;
}

/** Returns whether an error refuses one message, and not its HTTP request. */
export function isDenial(error: unknown): boolean {
  return error instanceof Error && DENIALS.has(error);
}
