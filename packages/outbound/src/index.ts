export { askAddress } from './ask-address.ts';
export type { Question } from './ask-address.ts';
export { askDocument } from './ask-document.ts';
export type { DocumentResponse } from './ask-document.ts';
export { findHeaderFault, HOP_BY_HOP } from './connection-headers.ts';
export { isPort, parseAuthority, parseEgressHost, writeHost } from './egress/egress-host.ts';
export type { EgressHost, EgressTarget } from './egress/egress-host.ts';
export {
  decideHost,
  isNamed,
  listDirectPorts,
  namesAddress,
  readEgressRules,
} from './egress/egress-rules.ts';
export type { EgressRules, HostDecision, NetworkPermissions } from './egress/egress-rules.ts';
export { findAnyRoute, findOpenRoute } from './find-route.ts';
export { DOCKER_HUB, findImageReference, isReservedImage, placeOfImage } from './image-reference.ts';
export type { ImageRepository, ImageReference } from './image-reference.ts';
export { AddressRanges, listEmbedded, parseAddressRange, readIpAddress } from './ip-address.ts';
export type { IpAddress } from './ip-address.ts';
export { readNoProxy } from './host-proxies.ts';
export { isLoopbackHost } from './loopback.ts';
export { isTenantless, namesTenantTemplate } from './tenant-template.ts';
export { isSubpath } from './is-subpath.ts';
export { faultIn, reasonIn } from './fetch-error.ts';
export type { Fault } from './fetch-error.ts';
export { openFetch } from './open-host-fetch.ts';
export { openHostFetch } from './open-host-fetch.ts';
export { isConnectTimeout, openUpstream } from './open-upstream.ts';
export type { ResponseControl, ResponseHandler, Upstream } from './open-upstream.ts';
export { lookUpHost } from './address-rules.ts';
export type { AddressRules } from './address-rules.ts';
export { isPublicAddress } from './address-rules.ts';
export { isUnroutable } from './special-addresses.ts';
