import { PassThrough } from 'node:stream';
import type { ResponseSink } from '../forward/open-forwarder.ts';

/** Buffers the body of a response until an action has completed, such as storing the session. */
export function bufferResponse(
  until: Promise<void>,
  begin: () => ResponseSink,
  refuse: (error: unknown) => void,
): ResponseSink {
  const buffer = new PassThrough();
  let trailers: readonly string[] = [];
  const pass = (): void => {
    const sink = begin();
    buffer.on('data', (chunk: Buffer) => {
      if (sink.body.write(chunk)) return;
      buffer.pause();
      sink.body.once('drain', () => buffer.resume());
    });
    buffer.once('end', () => {
      sink.trailers(trailers);
      sink.body.end();
    });
  };
  until.then(pass).catch((error: unknown) => {
    buffer.resume();
    refuse(error);
  });
  return {
    body: buffer,
    trailers: (raw) => {
      trailers = raw;
    },
  };
}

/**
 * Buffers a refusal by the server while the proxy fetches new credentials. Then calls `again` to retry, or
 * forwards the refusal.
 */
export function holdRefusal(
  hasResponded: Promise<boolean>,
  begin: () => ResponseSink,
  { again, failed }: { readonly again: () => void; readonly failed: (error: unknown) => void },
): ResponseSink {
  const until = (async (): Promise<void> => {
    if (await hasResponded) throw GIVEN;
  })();
  return bufferResponse(until, begin, (error) => (error === GIVEN ? again() : failed(error)));
}

const GIVEN = new Error('a later response replaced this one');
