import {
  ownParams,
  META,
  type JsonRecord,
  memberOf,
  metaOf,
  type RequestMessage,
} from '@portolan/mcp-protocol';
import type { ChannelRoute } from './channel.ts';
import type { ModernHeaders } from './modern-headers.ts';
import type { PendingRequest } from './pending-requests.ts';
import { readResponse } from './read-response.ts';

const MAX_PAGES = 1000;

/**
 * Fetches the tool list in the revision and with the credentials of a request, because headers must repeat
 * some tool arguments.
 */
export async function learnTools(
  modern: ModernHeaders,
  { message, sender, controller: { signal } }: PendingRequest,
  version: string,
  route: ChannelRoute,
): Promise<void> {
  const meta = metaOf(message.params);
  const claim = memberOf(meta, META.claim);
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = cursor === undefined ? {} : { cursor };
    const params: JsonRecord = ownParams(version, query, String(claim));
    const id = { text: '"portolan-tools"', key: 'sportolan-tools' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'portolan-tools', method: 'tools/list', params });
    const request: RequestMessage = { kind: 'request', text: body, id, method: 'tools/list', params };
    const headers = modern.headersOf(request);
    const reply = await route.send({ method: 'POST', headers, body, isRepeatable: true, sender, signal });
    const result = await readResponse(reply, request, route.maxMessageBytes);
    modern.learn(result);
    cursor = memberOf(result, 'nextCursor');
    if (typeof cursor !== 'string') return;
  }
}
