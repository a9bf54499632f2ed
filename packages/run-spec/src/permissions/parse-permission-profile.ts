import { readEgressRules } from '@portolan/outbound';
import { FieldReader } from '../document/field-reader.ts';
import { isJsonObject } from '../document/json-members.ts';
import { badPermissionProfile } from './permission-errors.ts';
import type { NetworkPermissions, OutboundPermissions, PermissionProfile } from './permission-profile.ts';

/**
 * Parses a permission profile. `foreign` ignores unknown keys, as for published profiles. Without it, they
 * are errors, because in a user's file a misspelt `network` would permit everything. Throws
 * ERR_PERMISSION_PROFILE with every problem.
 */
export function parsePermissionProfile(
  value: unknown,
  place: string,
  foreign: 'refused' | 'ignored',
): PermissionProfile {
  const { profile, problems } = readProfileParts(value, '', foreign);
  if (problems.length > 0) throw badPermissionProfile(place, problems);
  return profile;
}

/**
 * Parses a permission profile and returns its problems instead of throwing. `prefix` precedes the path in
 * each problem.
 */
export function readProfileParts(
  value: unknown,
  prefix: string,
  foreign: 'refused' | 'ignored',
): { readonly profile: PermissionProfile; readonly problems: readonly string[] } {
  const fields = new FieldReader(prefix);
  if (!isJsonObject(value)) fields.problem('', value, 'a map');
  return {
    profile: readProfile(fields, isJsonObject(value) ? value : {}, foreign),
    problems: fields.problems,
  };
}

function readProfile(fields: FieldReader, value: unknown, foreign: 'refused' | 'ignored'): PermissionProfile {
  const map = fields.map(value, '');
  if (foreign === 'refused') fields.refuseOthers(map, '', ['name', 'read', 'write', 'network', 'privileged']);
  const name = fields.text(map, 'name');
  const network = map['network'];
  return {
    ...(name === '' ? {} : { name }),
    read: fields.texts(map, 'read'),
    write: fields.texts(map, 'write'),
    ...(network === undefined || network === null ? {} : { network: readNetwork(fields, network, foreign) }),
    privileged: fields.truth(map, 'privileged'),
  };
}

function readNetwork(
  fields: FieldReader,
  value: unknown,
  foreign: 'refused' | 'ignored',
): NetworkPermissions {
  const at = 'network';
  const map = fields.map(value, at);
  const { outbound, inbound } = map;
  if (foreign === 'refused') fields.refuseOthers(map, at, ['mode', 'outbound', 'inbound']);
  const mode = fields.text(map, 'mode', at);
  return {
    ...(mode === '' ? {} : { mode }),
    ...(outbound === undefined || outbound === null
      ? {}
      : { outbound: readOutbound(fields, outbound, foreign) }),
    ...(inbound === undefined || inbound === null ? {} : { inbound: readInbound(fields, inbound, foreign) }),
  };
}

function readOutbound(
  fields: FieldReader,
  value: unknown,
  foreign: 'refused' | 'ignored',
): OutboundPermissions {
  const at = 'network.outbound';
  const map = fields.map(value, at);
  const known = ['insecure_allow_all', 'allow_host', 'allow_port'];
  if (foreign === 'refused') fields.refuseOthers(map, at, known);
  const hosts = fields.texts(map, 'allow_host', at);
  for (const [index, host] of hosts.entries()) {
    if (!isAllowedHost(host)) {
      fields.problem(`${at}.allow_host[${index}]`, host, 'a host, .suffix, IP address or CIDR block');
    }
  }
  const ports = fields.integers(map, 'allow_port', at);
  for (const [index, port] of ports.entries()) {
    if (port < 1 || port > 65_535)
      fields.problem(`${at}.allow_port[${index}]`, port, 'a port from 1 to 65535');
  }
  return {
    insecure_allow_all: fields.truth(map, 'insecure_allow_all', at),
    allow_host: hosts,
    allow_port: ports,
  };
}

function readInbound(
  fields: FieldReader,
  value: unknown,
  foreign: 'refused' | 'ignored',
): NonNullable<NetworkPermissions['inbound']> {
  const at = 'network.inbound';
  const map = fields.map(value, at);
  if (foreign === 'refused') fields.refuseOthers(map, at, ['allow_host']);
  return { allow_host: fields.texts(map, 'allow_host', at) };
}

function isAllowedHost(host: string): boolean {
  try {
    readEgressRules({ outbound: { allow_host: [host] } });
    return true;
  } catch {
    // Any error means that the host is invalid.
    return false;
  }
}
