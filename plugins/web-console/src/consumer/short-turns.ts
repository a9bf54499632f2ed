/** Whoever has worked for so long, in milliseconds, lets others go first. */
const TURN_MS = 0.5;
/** What is done with so many entries takes less than that. */
const PART = 256;

/** Awaits the next turn when this one has lasted long enough. */
export function turnsBy(turn: () => Promise<void>): () => Promise<void> | undefined {
  let sinceMs = performance.now();
  const next = async (): Promise<void> => {
    await turn();
    sinceMs = performance.now();
  };
  return () => (performance.now() - sinceMs > TURN_MS ? next() : undefined);
}

/** A long list in its order, part by part, with a turn for others between them where that took long. */
export async function* partsOf<Item>(
  list: readonly Item[],
  turn: () => Promise<void>,
): AsyncGenerator<readonly Item[]> {
  const rest = turnsBy(turn);
  for (let first = 0; first < list.length; first += PART) {
    yield list.slice(first, first + PART);
    await rest();
  }
}
