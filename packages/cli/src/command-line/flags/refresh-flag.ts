import { boolean } from './flag-types.ts';

/** `--refresh` of commands that look up names in the registry. */
export const refreshFlag = boolean({
  description: 'bypass the cache of registry responses, which lasts one hour',
});
