import type { MadeImages } from '@portolan/isolation';

/** Returns a store of image ids that is removed after the test. */
export function memoryImages(stateId = 'test'): MadeImages {
  const ids = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    stateId,
    find: (tag) => Promise.resolve(ids.get(tag)),
    keep: (tag, id) => {
      ids.set(tag, id);
      return Promise.resolve();
    },
    alone: async (_tag, action) => {
      const before = last;
      const done = Promise.withResolvers<void>();
      last = done.promise;
      await before;
      try {
        return await action();
      } finally {
        done.resolve();
      }
    },
  };
}
