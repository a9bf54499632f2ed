/** The end of a switch that has a case for everything; the compiler finds the one that is missing. */
export function unreachable(value: never): never {
  throw new Error(`there is no case for ${JSON.stringify(value)}`);
}
