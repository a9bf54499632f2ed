import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, memberOf, textMember } from '@portolan/run-spec';

export interface RegistryServer {
  readonly document: JsonObject;
  /** Status of the version. Default: `active`. */
  readonly status: string;
  readonly statusMessage: string | undefined;
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official';

/** Parses `{server, _meta}`; undefined when it is unusable. */
export function serverOfResponse(value: unknown): RegistryServer | undefined {
  const server = memberOf(value, 'server');
  if (!isJsonObject(server) || textMember(server, 'name') === undefined) return undefined;
  const official = memberOf(memberOf(value, '_meta'), OFFICIAL);
  return {
    document: server,
    status: textMember(official, 'status') ?? 'active',
    statusMessage: textMember(official, 'statusMessage'),
  };
}

export function nameOfServer({ document }: RegistryServer): string {
  return textMember(document, 'name') ?? '';
}
