import {
  isJsonObject,
  type JsonRecord,
  memberOf,
  META,
  metaOf,
  type RequestMessage,
} from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import { createHash } from 'node:crypto';

/** Modern client as an inner session represents it. */
export interface Caller {
  /** Equal for requests that may use the same inner sessions: same caller, capabilities and revision. */
  readonly key: string;
  readonly owner: string | undefined;
  readonly capabilities: JsonRecord;
  readonly clientInfo: JsonRecord | undefined;
  readonly sender: MessageSender | undefined;
}

export function readCaller({ params }: RequestMessage, sender: MessageSender | undefined): Caller {
  const meta = metaOf(params);
  const capabilities = recordOf(memberOf(meta, META.capabilities)) ?? {};
  const owner = sender?.owner;
  const parts = JSON.stringify([owner ?? null, inOrder(capabilities), memberOf(meta, META.claim) ?? null]);
  return {
    key: createHash('sha256').update(parts).digest('base64'),
    owner,
    capabilities,
    clientInfo: recordOf(memberOf(meta, META.clientInfo)),
    sender,
  };
}

function recordOf(value: unknown): JsonRecord | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Returns a list that is equal for objects that differ only in the order of their members. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return [null, ...entries.map(([name, inner]) => [name, inOrder(inner)])];
}
