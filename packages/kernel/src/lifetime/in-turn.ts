/** The same function, each call of which begins when the one before is over, however that ended. */
export function inTurn<T>(run: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(run, run);
    last = next;
    return next;
  };
}
