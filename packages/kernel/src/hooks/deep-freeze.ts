/**
 * The value itself, frozen with everything in it: what a tap is only to look at
 * may be shared with other taps, and with the host. Bytes cannot be frozen, and
 * are left as they are.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value))
    return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
