export { AddressRanges, listEmbedded, readIpAddress } from './ip-address.ts';
export type { IpAddress } from './ip-address.ts';
export type { AddressRules } from './open-fetch.ts';
export { openFetch } from './open-fetch-on-demand.ts';
export { isPublicAddress } from './public-address.ts';
