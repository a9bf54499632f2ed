import { isJsonObject, type JsonRecord, memberOf, type ResponseMessage } from '../message/message.ts';
import type { ServerLink } from '../server/server-link.ts';
import { DISCOVER, ownParams, ownRequest } from './own-request.ts';
import { isModern } from './revisions.ts';

/** What a process of a server turned out to speak. */
export type Verdict =
  /** `capabilities` are the server's, where it said them. */
  | {
      readonly era: 'modern';
      readonly revisions: readonly string[];
      readonly capabilities: JsonRecord | undefined;
    }
  /** Not sure: it has said nothing, or has ended, which may have another cause. */
  | { readonly era: 'legacy'; readonly isSure: boolean };

const UNSUPPORTED_VERSION = -32022;

/**
 * Asks a process that has seen nothing else which era it speaks. The verdict
 * hangs on no error code but the one that lists revisions: some servers end on
 * any request before their greeting, and that is an answer too, as is silence.
 * A process with the verdict "legacy" can be used no more. Never rejects.
 */
export function probeServer(link: ServerLink, version: string, waitMs: number): Promise<Verdict> {
  const limits = { requestMs: waitMs, longestRequestMs: waitMs, cancelledMs: waitMs };
  return new Promise((resolve) => {
    const failed = (): void => resolve({ era: 'legacy', isSure: false });
    const receiver = {
      answered: (answer: ResponseMessage) => resolve(judge(answer)),
      progressed: () => undefined,
      failed,
    };
    try {
      link.request(ownRequest(DISCOVER, ownParams(version)), receiver, limits);
    } catch {
      failed(); // it has ended before it could be asked
    }
  });
}

function judge({ text, result, isError, errorCode }: ResponseMessage): Verdict {
  const legacy: Verdict = { era: 'legacy', isSure: true };
  if (isError && errorCode !== UNSUPPORTED_VERSION) return legacy;
  const listed = isError ? memberOf(dataOf(text), 'supported') : listOf(result);
  const revisions = Array.isArray(listed) ? listed.filter((item) => typeof item === 'string') : [];
  if (!revisions.some(isModern)) return legacy;
  const capabilities = isJsonObject(result) ? memberOf(result, 'capabilities') : undefined;
  return { era: 'modern', revisions, capabilities: isJsonObject(capabilities) ? capabilities : undefined };
}

function listOf(result: unknown): unknown {
  return isJsonObject(result) ? memberOf(result, 'supportedVersions') : undefined;
}

function dataOf(text: string): JsonRecord | undefined {
  // SAFETY: it was parsed before, so it is JSON; an error is an object there.
  const { error } = JSON.parse(text) as { readonly error: JsonRecord };
  const data = memberOf(error, 'data');
  return isJsonObject(data) ? data : undefined;
}
