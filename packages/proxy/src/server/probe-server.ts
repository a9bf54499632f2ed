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

/** Revisions that a process of a server turned out to speak. */
export type Verdict =
  /** `capabilities` are the server's, where its response has them. */
  | {
      readonly era: 'modern';
      readonly revisions: readonly string[];
      readonly capabilities: JsonRecord | undefined;
    }
  /** Not sure: the process has ended, which may have another cause. */
  | { readonly era: 'legacy'; readonly isSure: boolean }
  /** No response within the time. */
  | { readonly era: 'unknown' };

/**
 * Sends `server/discover` to a process that has received nothing else and returns
 * which revisions it speaks. The verdict depends on no error code but the one that
 * lists revisions: some servers end on any request before `initialize`. A process
 * with the verdict "legacy" cannot be used any more. Never rejects.
 */
export function probeServer(link: ServerLink, version: string, waitMs: number): Promise<Verdict> {
  const limits = { requestMs: waitMs, longestRequestMs: waitMs, cancelledMs: waitMs };
  return new Promise((resolve) => {
    const ended = (): void => resolve({ era: 'legacy', isSure: false });
    const receiver = {
      answered: (answer: ResponseMessage) => resolve(judge(answer)),
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

function judge(answer: ResponseMessage): Verdict {
  const { result, isError } = answer;
  const listed = isError ? revisionsOfRefusal(answer) : stringsIn(listOf(result));
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
