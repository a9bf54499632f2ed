/** The value itself, frozen with everything in it: who changes it anyway is found out. Bytes are left as they are. */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
}
