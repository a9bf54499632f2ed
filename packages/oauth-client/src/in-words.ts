/**
 * What was thrown, in words alone. As causes the library gives its errors the
 * answers that they are about, with the tokens in them, and a log writes causes.
 */
export function inWords(thrown: unknown): unknown {
  if (!(thrown instanceof Error))
    return thrown === undefined ? undefined : new Error('something else was thrown');
  if (thrown.cause === undefined) return thrown;
  const cause = thrown.cause instanceof Error ? inWords(thrown.cause) : undefined;
  if (cause === thrown.cause) return thrown;
  const { name, message, stack } = thrown;
  const copy = new Error(message, cause === undefined ? {} : { cause });
  return Object.assign(copy, { name, stack, ...('code' in thrown ? { code: thrown.code } : {}) });
}
