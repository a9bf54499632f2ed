import {
  isJsonObject,
  type JsonRecord,
  type RequestMessage,
  parseServerMessage,
} from '@portolan/mcp-protocol';
import type { IncomingMessage } from 'node:http';
import { isEventStream, readBody, readEvents } from './client-http.ts';

/** Returns the result of the stdio client's own request; undefined for other responses. */
export async function readResponse(
  response: IncomingMessage,
  { id }: RequestMessage,
): Promise<JsonRecord | undefined> {
  if ((response.statusCode ?? 0) >= 300) {
    response.destroy();
    return undefined;
  }
  const resultIn = (text: string): JsonRecord | undefined => {
    const message = parseServerMessage(text);
    if (typeof message === 'string' || message.kind !== 'response' || message.id.key !== id.key)
      return undefined;
    return isJsonObject(message.result) ? message.result : undefined;
  };
  if (!isEventStream(response)) return resultIn(await readBody(response));
  for await (const { data } of readEvents(response)) {
    const result = data === undefined ? undefined : resultIn(data);
    if (result !== undefined) return result;
  }
  return undefined;
}
