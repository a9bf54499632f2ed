import { PassThrough } from 'node:stream';
import type { AnswerSink } from '../forward/open-forwarder.ts';

/**
 * Collects the body of a response until a preceding action has completed, and passes it on then: a client
 * learns of a session when every proxy knows it. After a failure, or when the response cannot be started,
 * `refuse` is called.
 */
export function holdAnswer(
  until: Promise<void>,
  begin: () => AnswerSink,
  refuse: (error: unknown) => void,
): AnswerSink {
  const held = new PassThrough();
  let trailers: readonly string[] = [];
  const pass = (): void => {
    const sink = begin();
    held.on('data', (chunk: Buffer) => {
      if (sink.body.write(chunk)) return;
      held.pause();
      sink.body.once('drain', () => held.resume());
    });
    held.once('end', () => {
      sink.trailers(trailers);
      sink.body.end();
    });
  };
  until.then(pass).catch((error: unknown) => {
    held.resume();
    refuse(error);
  });
  return {
    body: held,
    trailers: (raw) => {
      trailers = raw;
    },
  };
}

/**
 * Collects a refusal while another attempt is prepared. If that succeeds, the refusal is discarded, and
 * `again` is called; otherwise it is passed on.
 */
export function holdRefusal(
  given: Promise<boolean>,
  begin: () => AnswerSink,
  { again, failed }: { readonly again: () => void; readonly failed: (error: unknown) => void },
): AnswerSink {
  const until = (async (): Promise<void> => {
    if (await given) throw GIVEN;
  })();
  return holdAnswer(until, begin, (error) => (error === GIVEN ? again() : failed(error)));
}

/** The reason of a discarded response, which nobody sees. */
const GIVEN = new Error('another answer will come');
