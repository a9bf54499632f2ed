/** Makes the compiler report a missing case of a switch. */
export function unreachable(value: never): never {
  throw new Error(`there is no case for ${JSON.stringify(value)}`);
}
