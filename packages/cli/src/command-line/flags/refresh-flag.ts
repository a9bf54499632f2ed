import { boolean } from './flag-types.ts';

export const refreshFlag = boolean({
  description: 'bypass the cache of registry responses, which lasts one hour',
});
