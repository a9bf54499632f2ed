import { META } from '@portolan/mcp-protocol';
import { isJsonObject, memberOf } from '@portolan/plugin-api';
import type { CurrentServer } from './baseline.ts';

/**
 * Returns what a server says about itself in the result of `initialize` or `server/discover`. Undefined for a result
 * that is not an object.
 */
export function readServer(result: unknown): CurrentServer | undefined {
  if (!isJsonObject(result)) return undefined;
  const info = memberOf(memberOf(result, '_meta'), META.serverInfo) ?? memberOf(result, 'serverInfo');
  const versions = memberOf(result, 'supportedVersions');
  return {
    name: textOf(memberOf(info, 'name')),
    version: textOf(memberOf(info, 'version')),
    revisions: Array.isArray(versions)
      ? versions.filter((version): version is string => typeof version === 'string')
      : undefined,
    capabilities: memberOf(result, 'capabilities') ?? {},
    instructions: memberOf(result, 'instructions'),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
