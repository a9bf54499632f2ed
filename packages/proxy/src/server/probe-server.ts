import {
  isJsonObject,
  type JsonRecord,
  memberOf,
  type ResponseMessage,
  revisionsOfRefusal,
  stringsIn,
  DISCOVER,
  ownParams,
  ownRequest,
  isModern,
} from '@portolan/mcp-protocol';
import type { ServerLink } from './server-link.ts';

export type Verdict =
  | {
      readonly era: 'modern';
      readonly revisions: readonly string[];
      readonly capabilities: JsonRecord | undefined;
    }
  /**
   * The server needs a handshake. `isSure` is false when the process has ended, which may have another cause.
   */
  | { readonly era: 'legacy'; readonly isSure: boolean }
  | { readonly era: 'unknown' };

/**
 * Finds out whether a new process serves clients without a handshake, by `server/discover`. Some servers exit
 * on any request before `initialize`; after the result "legacy" the process is unusable. Never rejects.
 */
export function probeServer(link: ServerLink, version: string, waitMs: number): Promise<Verdict> {
  const limits = { requestMs: waitMs, longestRequestMs: waitMs, cancelledMs: waitMs };
  return new Promise((resolve) => {
    const ended = (): void => resolve({ era: 'legacy', isSure: false });
    const receiver = {
      answered: (response: ResponseMessage) => resolve(judge(response)),
      progressed: () => undefined,
      failed: () => (link.hasEnded ? ended() : resolve({ era: 'unknown' })),
    };
    try {
      link.request(ownRequest(DISCOVER, ownParams(version)), receiver, limits);
    } catch {
      ended();
    }
  });
}

function judge(response: ResponseMessage): Verdict {
  const { result, isError } = response;
  const listed = isError ? revisionsOfRefusal(response) : stringsIn(listOf(result));
  if (listed?.some(isModern) !== true) return { era: 'legacy', isSure: true };
  const capabilities = isJsonObject(result) ? memberOf(result, 'capabilities') : undefined;
  return {
    era: 'modern',
    revisions: listed,
    capabilities: isJsonObject(capabilities) ? capabilities : undefined,
  };
}

function listOf(result: unknown): unknown {
  return isJsonObject(result) ? memberOf(result, 'supportedVersions') : undefined;
}
