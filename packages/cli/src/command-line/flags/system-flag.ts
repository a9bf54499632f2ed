import { boolean } from './flag-types.ts';

export const systemFlag = boolean({ description: 'include secrets that Portolan stores for itself' });
