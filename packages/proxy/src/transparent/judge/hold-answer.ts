import { PassThrough } from 'node:stream';
import type { AnswerSink } from '../forward/open-forwarder.ts';

/** Buffers the body of a response until an action has completed, such as storing the session. */
export function holdAnswer(
  until: Promise<void>,
  begin: () => AnswerSink,
  refuse: (error: unknown) => void,
): AnswerSink {
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
  begin: () => AnswerSink,
  { again, failed }: { readonly again: () => void; readonly failed: (error: unknown) => void },
): AnswerSink {
  const until = (async (): Promise<void> => {
    if (await hasResponded) throw GIVEN;
  })();
  return holdAnswer(until, begin, (error) => (error === GIVEN ? again() : failed(error)));
}

const GIVEN = new Error('a later response replaced this one');
