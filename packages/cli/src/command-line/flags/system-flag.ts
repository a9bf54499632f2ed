import { boolean } from './flag-types.ts';

/** `--system`: secrets that Portolan keeps for itself. */
export const systemFlag = boolean({ description: 'secrets that Portolan keeps for itself, too' });
