import { PassThrough } from 'node:stream';
import type { AnswerSink } from '../forward/open-forwarder.ts';

/**
 * Takes the body of an answer while something else has to happen first, and
 * hands it on once that has: a client is told of a session when every proxy
 * knows it. Where it fails, or the answer cannot be begun, `refuse` is called.
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
 * Takes a refusal while somebody may do something about it. When that is true
 * nobody gets it, and `again` is called; otherwise it is handed on.
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

/** Says that another answer will come; nobody is told. */
const GIVEN = new Error('another answer will come');
