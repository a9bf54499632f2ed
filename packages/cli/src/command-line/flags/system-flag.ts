import { boolean } from './flag-types.ts';

/** `--system`: includes secrets that Portolan stores for itself. */
export const systemFlag = boolean({ description: 'include secrets that Portolan stores for itself' });
