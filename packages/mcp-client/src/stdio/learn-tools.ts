import {
  ownParams,
  META,
  type JsonRecord,
  memberOf,
  metaOf,
  type RequestMessage,
} from '@portolan/mcp-protocol';
import type { IncomingMessage } from 'node:http';
import type { ModernHeaders } from './modern-headers.ts';
import { readResponse } from './read-response.ts';

const MAX_PAGES = 1000;

/** Fetches the tool list in the client's revision, because headers must repeat some tool arguments. */
export async function learnTools(
  modern: ModernHeaders,
  message: RequestMessage,
  version: string,
  send: (headers: Readonly<Record<string, string>>, text: string) => Promise<IncomingMessage>,
): Promise<void> {
  const meta = metaOf(message.params);
  const claim = memberOf(meta, META.claim);
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = cursor === undefined ? {} : { cursor };
    const params: JsonRecord = ownParams(version, query, String(claim));
    const id = { text: '"portolan-tools"', key: 'sportolan-tools' };
    const text = JSON.stringify({ jsonrpc: '2.0', id: 'portolan-tools', method: 'tools/list', params });
    const request: RequestMessage = { kind: 'request', text, id, method: 'tools/list', params };
    const response = await send(modern.headersOf(request), text);
    const result = await readResponse(response, request);
    modern.learn(result);
    cursor = memberOf(result, 'nextCursor');
    if (typeof cursor !== 'string') return;
  }
}
