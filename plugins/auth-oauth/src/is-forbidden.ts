export function isForbidden(cause: unknown): boolean {
  for (let error = cause, depth = 0; error instanceof Error && depth < 10; error = error.cause, depth += 1)
    if ('code' in error && error.code === 'ERR_ADDRESS_FORBIDDEN') return true;
  return false;
}
