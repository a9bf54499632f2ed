/**
 * Freezes a value with everything in it and returns it, so that a change throws. Leaves bytes as they are.
 */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
}
