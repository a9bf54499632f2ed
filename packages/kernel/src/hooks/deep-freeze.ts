/**
 * Deeply freezes a value and returns it, so that read-only arguments of taps can be shared with other taps
 * and the host. Binary data cannot be frozen and stays unchanged.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value))
    return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
