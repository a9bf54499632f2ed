import type { Logger } from '@portolan/plugin-api';
import { Transform, type TransformCallback } from 'node:stream';
import { toErrorMessage } from '../http-errors.ts';
import { EventReader, type IncomingEvent } from '../sse/event-reader.ts';
import { writeEvent } from '../sse/write-event.ts';
import { Turn } from '../turn.ts';
import type { AnswerScope, JudgedText } from './answer-scope.ts';
import { MOST_EVENT_BYTES } from './rewrite-endpoint.ts';

export interface JudgeStreamOptions {
  readonly scope: AnswerScope;
  /**
   * What becomes of the data of an event named `endpoint`; undefined where that
   * name means nothing. `push` puts an event of our own into the stream from then on.
   */
  readonly endpoint: ((data: string, push: (event: string) => void) => string) | undefined;
  readonly logger: Logger;
}

/** What of an event goes on. */
type Passed = Buffer | string | undefined;

/** Judges each message of an event stream; events that need no change pass byte for byte, and at once. */
export function judgeStream(options: JudgeStreamOptions): Transform {
  const reader = new EventReader(MOST_EVENT_BYTES);
  const turn = new Turn();
  const judge = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      try {
        const later = passEvents(reader.push(chunk)[Symbol.iterator]());
        if (later === undefined) done();
        else void endLater(later, done);
      } catch (error) {
        done(toError(error));
      }
    },
    // What is left at the end is no event: its blank line never came, and nobody has judged it.
    flush: (done: TransformCallback) => done(),
  });
  const push = (event: Buffer | string): void => {
    if (!judge.readableEnded && !judge.destroyed) judge.push(event);
  };
  /** Returns a promise while an event is still judged or the turn is over; the events after it wait. */
  const passEvents = (events: Iterator<IncomingEvent>): Promise<void> | undefined => {
    for (let next = events.next(); next.done !== true; next = events.next()) {
      const passed = judgeEvent(options, next.value, push);
      if (passed instanceof Promise) {
        return passed.then((judged) => {
          if (judged !== undefined) push(judged);
          return passEvents(events);
        });
      }
      if (passed !== undefined) push(passed);
      if (turn.isOver()) return turn.yield().then(() => (judge.destroyed ? undefined : passEvents(events)));
    }
    return undefined;
  };
  return judge;
}

async function endLater(passing: Promise<void>, done: TransformCallback): Promise<void> {
  try {
    await passing;
    done();
  } catch (error) {
    done(toError(error));
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function judgeEvent(
  { scope, endpoint, logger }: JudgeStreamOptions,
  incoming: IncomingEvent,
  push: (event: string) => void,
): Passed | Promise<Passed> {
  const { event, data } = incoming;
  // No message: a comment, a time to wait, an id to resume from.
  if (data === undefined || data === '') return incoming.isPlain ? incoming.raw : withData(incoming, data);
  if (event === 'endpoint' && endpoint !== undefined)
    return writeEvent({ event, data: endpoint(data, push) });
  const judged = scope.judge(data);
  return judged instanceof Promise
    ? judged.then((later) => passedOf(later, incoming, logger))
    : passedOf(judged, incoming, logger);
}

function passedOf(judged: JudgedText, incoming: IncomingEvent, logger: Logger): Passed {
  if ('dropped' in judged) {
    logger.debug({ because: judged.dropped }, 'message to a client was left out');
    return undefined;
  }
  const text = 'refused' in judged ? toErrorMessage(judged.refused, judged.id) : judged.text;
  return text === incoming.data && incoming.isPlain ? incoming.raw : withData(incoming, text);
}

/**
 * Returns the event with the given data. Comments, `id`, `retry` and `event` stay;
 * other lines mean nothing to clients that follow the standard and are left out,
 * since no policy judges them.
 */
function withData({ raw }: IncomingEvent, text: string | undefined): string {
  const kept = raw
    .toString('utf8')
    .replace(/^\u{FEFF}/u, '')
    .split(/\r\n|[\r\n]/)
    .filter((line) => /^(?::|(?:id|retry|event)(?::|$))/.test(line));
  const data = text?.split(/\r\n|[\r\n]/).map((line) => `data: ${line}`) ?? [];
  return `${[...kept, ...data].join('\n')}\n\n`;
}
