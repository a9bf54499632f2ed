import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, memberOf, textMember } from '@portolan/run-spec';

/** One server as a registry has it: its newest version. */
export interface RegistryServer {
  readonly document: JsonObject;
  /** `active` where the registry says nothing. */
  readonly status: string;
  readonly statusMessage: string | undefined;
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official';

/** The server of an API answer, `{server, _meta}`; undefined when it is none that could be used. */
export function serverOfAnswer(value: unknown): RegistryServer | undefined {
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
