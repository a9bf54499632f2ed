/** Errors that refuse a single message. A set, because plugins create some of them. */
const DENIALS = new WeakSet<Error>();

/** Marks an error as the refusal of one message: over streamable HTTP, a request gets it with status 200. */
export function markDenial<Denial extends Error>(error: Denial): Denial {
  DENIALS.add(error);
  return error;
}

/** Returns whether an error refuses one message, and not the HTTP request that carries it. */
export function isDenial(error: unknown): boolean {
  return error instanceof Error && DENIALS.has(error);
}
