/** Errors that our own rules have thrown in a hook, where plugins throw theirs. */
const rulings = new WeakSet<Error>();

/** What `judge` answers with; what it throws is known as ours from then on. */
export function asRuling<T>(judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    if (error instanceof Error) rulings.add(error);
    throw error;
  }
}

/** Whether an error is a ruling, to be answered as it is: a plugin cannot make one. */
export function isRuling(error: Error): boolean {
  return rulings.has(error);
}
