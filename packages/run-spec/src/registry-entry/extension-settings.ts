import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, type JsonMembers, memberOf, objectsIn, textMember } from '../document/json-members.ts';
import { parsePermissionProfile } from '../permissions/parse-permission-profile.ts';
import type { PermissionProfile } from '../permissions/permission-profile.ts';
import { isTransportName } from '../run-config/transports.ts';
import { templateOf } from './read-input.ts';
import type { NamedValue } from './server-settings.ts';

export function namedValue(input: JsonMembers): readonly NamedValue[] {
  const name = textMember(input, 'name');
  return name === undefined ? [] : [{ name, value: templateOf(input, name) }];
}

/** Returns the variables of the publisher's object that the package does not declare itself. */
export function extensionVariables(
  extension: unknown,
  declared: readonly NamedValue[],
): readonly NamedValue[] {
  const names = new Set(declared.map(({ name }) => name));
  return objectsIn(extension, 'env_vars').flatMap((variable) =>
    namedValue({
      ...variable,
      isRequired: memberOf(variable, 'isRequired') ?? memberOf(variable, 'required'),
      isSecret: memberOf(variable, 'isSecret') ?? memberOf(variable, 'secret'),
    }).filter(({ name }) => !names.has(name)),
  );
}

/** Returns a sentence about an ignored listening address. The user decides where the workload listens. */
export function noteListening(extension: unknown): readonly string[] {
  const port = memberOf(extension, 'proxy_port');
  if (port === undefined || port === null) return [];
  return ['The proxy_port of the entry does not count: --proxy-port chooses the port.'];
}

/**
 * Parses the permissions of an entry. Throws for invalid ones, because without them the server would get more
 * permissions.
 */
export function readPermissions(extension: unknown, server: string): PermissionProfile | undefined {
  const permissions = memberOf(extension, 'permissions');
  if (permissions === undefined || permissions === null) return undefined;
  return parsePermissionProfile(permissions, `The permissions of ${server}`, 'ignored');
}

export function transportName(value: unknown): string | undefined {
  return typeof value === 'string' && isTransportName(value) ? value : undefined;
}

export function truthMember(value: unknown, key: string): boolean | undefined {
  const member = memberOf(value, key);
  return typeof member === 'boolean' ? member : undefined;
}

export function objectMember(value: unknown, key: string): JsonObject | undefined {
  const member = memberOf(value, key);
  return isJsonObject(member) ? member : undefined;
}
