/** Errors that refuse one message. A `WeakSet`, because plugins create some of these errors. */
const DENIALS = new WeakSet<Error>();

/**
 * Marks an error as the refusal of one message. Over streamable HTTP, the client gets such an error with
 * status 200.
 */
export function markDenial<Denial extends Error>(error: Denial): Denial {
  DENIALS.add(error);
  return error;
}

/** Returns whether an error refuses one message, rather than the whole HTTP request. */
export function isDenial(error: unknown): boolean {
  return error instanceof Error && DENIALS.has(error);
}
