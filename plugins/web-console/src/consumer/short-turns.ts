/** Milliseconds after which a page lets other requests go first. */
const TURN_MS = 0.5;
/** These entries take less time than that. */
const PART = 256;

/** Awaits `turn` between parts if the last turn was long ago. */
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
