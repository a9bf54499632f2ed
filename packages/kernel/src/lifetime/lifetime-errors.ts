/** Creates the cause of an error about a plugin whose call timed out. */
export function tookTooLong(limitMs: number): Error {
  return new Error(`it did not finish within ${limitMs / 1000} s`);
}
