import { boolean } from './flag-types.ts';

/** `--system`: includes secrets that Portolan stores for itself. */
export const systemFlag = boolean({ description: 'secrets that Portolan keeps for itself, too' });
