/**
 * Returns the object behind a proxy that adds the path of each member that a reader
 * accesses to `reads`, also of a missing member; `*` is any index.
 */
export function recordReads<Value extends object>(value: Value, reads: Set<string>, at = ''): Value {
  const pathOf = (key: string): string => {
    const name = Array.isArray(value) ? '*' : key;
    return at === '' ? name : `${at}.${name}`;
  };
  const isMember = (key: string | symbol): key is string =>
    typeof key === 'string' && (Array.isArray(value) ? /^\d+$/.test(key) : true);
  return new Proxy(value, {
    get: (target, key, receiver) => {
      const member: unknown = Reflect.get(target, key, receiver);
      if (!isMember(key)) return member;
      if (typeof member === 'object' && member !== null) return recordReads(member, reads, pathOf(key));
      reads.add(pathOf(key));
      return member;
    },
    getOwnPropertyDescriptor: (target, key) => {
      if (isMember(key) && !Object.hasOwn(target, key)) reads.add(pathOf(key));
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  });
}
