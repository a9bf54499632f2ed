/** Serializes a function: each call starts when the previous one has settled. */
export function inTurn<T>(run: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(run, run);
    last = next;
    return next;
  };
}
