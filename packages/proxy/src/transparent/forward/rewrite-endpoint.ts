import { EventOutput, EventReader, writeEvent } from '@portolan/mcp-protocol';
import { resolveReference } from '@portolan/plugin-api';
import { Transform, type TransformCallback } from 'node:stream';
import { endpointForeign } from '../../errors/backend-errors.ts';

export const MAX_EVENT_BYTES = 32 * 1024 * 1024;

export interface EndpointOptions {
  readonly streamUrl: URL;
  /** Prefix of the endpoint for clients: empty, or `/…` without a slash at the end. */
  readonly prefix: string;
  /** Origin for clients, such as `https://name`, when a trusted reverse proxy names the host. */
  readonly outerOrigin: string | undefined;
  /**
   * Called with the path and query that the server announced, and a function that inserts an event into the
   * stream.
   */
  readonly announced: (path: string, query: string, push: (event: string) => void) => void;
}

/**
 * Changes only `endpoint` events, so that clients post to the proxy. A foreign endpoint breaks the stream.
 */
export function rewriteEndpoint(options: EndpointOptions): Transform {
  const reader = new EventReader(MAX_EVENT_BYTES);
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      try {
        for (const { raw, event, data } of reader.push(chunk)) {
          const isEndpoint = event === 'endpoint' && data !== undefined;
          output.pass(
            isEndpoint ? writeEvent({ event, data: mapEndpoint(data, options, output.insert) }) : raw,
          );
        }
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
    flush(done: TransformCallback) {
      output.end();
      done(null, reader.rest());
    },
  });
  const output = new EventOutput(stream);
  return stream;
}

export function mapEndpoint(data: string, options: EndpointOptions, push: (event: string) => void): string {
  const { prefix, outerOrigin = '', announced } = options;
  const { pathname, search } = readEndpoint(data, options);
  announced(pathname, search, push);
  return `${outerOrigin}${prefix}${pathname}${search}`;
}

/** Returns the address that an `endpoint` event names. Throws ERR_ANSWER_UNREADABLE. */
export function readEndpoint(data: string, { streamUrl }: Pick<EndpointOptions, 'streamUrl'>): URL {
  const endpoint = resolveReference(streamUrl, data.trim());
  if (endpoint?.origin !== streamUrl.origin) throw endpointForeign();
  return endpoint;
}
