/** Marks the end of an exhaustive switch; the compiler reports a missing case. */
export function unreachable(value: never): never {
  throw new Error(`there is no case for ${JSON.stringify(value)}`);
}
