import { isJsonObject, memberOf, EventReader } from '@portolan/mcp-protocol';
import type { ResponseSink, UpstreamHead } from '../forward/open-forwarder.ts';
import { isEventStream } from '../judge/pass-judged.ts';

const MAX_BYTES = 256 * 1024;

/**
 * Finds the negotiated revision in the response to `initialize` while the response passes unchanged. Ignores
 * a response that cannot be parsed.
 */
export function tapRevision(
  { body, trailers }: ResponseSink,
  head: UpstreamHead,
  agreed: (revision: string) => void,
): ResponseSink {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    trailers,
    body: {
      write: (chunk) => {
        bytes += chunk.length;
        if (bytes <= MAX_BYTES) chunks.push(chunk);
        else chunks.length = 0;
        return body.write(chunk);
      },
      end: () => {
        const revision = revisionIn(Buffer.concat(chunks), isEventStream(head));
        if (revision !== undefined) agreed(revision);
        return body.end();
      },
      once: (event, then) => body.once(event, then),
    },
  };
}

function revisionIn(bytes: Buffer, isStream: boolean): string | undefined {
  const texts = isStream ? new EventReader(MAX_BYTES).push(bytes).map(({ data }) => data) : [String(bytes)];
  return texts.map(revisionOf).find((revision) => revision !== undefined);
}

function revisionOf(text = ''): string | undefined {
  try {
    const message: unknown = JSON.parse(text);
    const result = isJsonObject(message) ? memberOf(message, 'result') : undefined;
    const revision = isJsonObject(result) ? memberOf(result, 'protocolVersion') : undefined;
    return typeof revision === 'string' ? revision : undefined;
  } catch {
    return undefined;
  }
}
