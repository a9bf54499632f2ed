import type { JsonObject } from '@portolan/plugin-api';
import type { NetworkPermissions, PermissionProfile } from './permission-profile.ts';

/**
 * Converts a profile to its JSON form. Omits empty members, except for `network` and `outbound`: an empty one
 * restricts traffic, a missing one permits all.
 */
export function profileDocument(profile: PermissionProfile): JsonObject {
  const { name, read = [], write = [], network, privileged } = profile;
  return {
    ...(name === undefined ? {} : { name }),
    ...(read.length === 0 ? {} : { read: [...read] }),
    ...(write.length === 0 ? {} : { write: [...write] }),
    ...(network === undefined ? {} : { network: networkDocument(network) }),
    ...(privileged === true ? { privileged } : {}),
  };
}

function networkDocument({ mode, outbound, inbound }: NetworkPermissions): JsonObject {
  const { insecure_allow_all: all, allow_host: hosts = [], allow_port: ports = [] } = outbound ?? {};
  return {
    ...(mode === undefined || mode === '' ? {} : { mode }),
    ...(outbound === undefined
      ? {}
      : {
          outbound: {
            ...(all === true ? { insecure_allow_all: true } : {}),
            ...(hosts.length === 0 ? {} : { allow_host: [...hosts] }),
            ...(ports.length === 0 ? {} : { allow_port: [...ports] }),
          },
        }),
    ...(inbound === undefined
      ? {}
      : {
          inbound:
            (inbound.allow_host ?? []).length === 0 ? {} : { allow_host: [...(inbound.allow_host ?? [])] },
        }),
  };
}
