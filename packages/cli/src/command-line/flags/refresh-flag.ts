import { boolean } from './flag-types.ts';

/** `--refresh` of commands that look up names in the registry. */
export const refreshFlag = boolean({
  description: 'ask the registry, whatever it said within the last hour',
});
