/** Time in milliseconds after which a page yields to other requests. */
const TURN_MS = 0.5;
/** Number of entries whose processing takes less time than one turn. */
const PART = 256;

/** Yields a long list in parts. Awaits `turn` between parts if the last turn was long ago. */
export async function* partsOf<Item>(
  list: readonly Item[],
  turn: () => Promise<void>,
): AsyncGenerator<readonly Item[]> {
  let sinceMs = performance.now();
  for (let first = 0; first < list.length; first += PART) {
    yield list.slice(first, first + PART);
    if (performance.now() - sinceMs <= TURN_MS) continue;
    await turn();
    sinceMs = performance.now();
  }
}
