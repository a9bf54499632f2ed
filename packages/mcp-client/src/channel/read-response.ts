import {
  isJsonObject,
  type JsonRecord,
  type RequestMessage,
  parseServerMessage,
} from '@portolan/mcp-protocol';
import { type HttpReply, isEventStream, readBody, readEvents } from './http-reply.ts';

/** Returns the result of the channel's own request; undefined for other responses. */
export async function readResponse(
  reply: HttpReply,
  { id }: RequestMessage,
  maxBytes: number,
): Promise<JsonRecord | undefined> {
  if (reply.status >= 300) {
    reply.discard();
    return undefined;
  }
  const resultIn = (text: string): JsonRecord | undefined => {
    const message = parseServerMessage(text);
    if (typeof message === 'string' || message.kind !== 'response' || message.id.key !== id.key)
      return undefined;
    return isJsonObject(message.result) ? message.result : undefined;
  };
  if (!isEventStream(reply)) return resultIn(await readBody(reply, maxBytes));
  for await (const { data } of readEvents(reply, maxBytes)) {
    const result = data === undefined ? undefined : resultIn(data);
    if (result !== undefined) return result;
  }
  return undefined;
}
