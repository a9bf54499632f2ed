import {
  EventOutput,
  EventReader,
  type IncomingEvent,
  COMMENT,
  LINE_END,
  writeEvent,
} from '@portolan/mcp-protocol';
import type { Logger } from '@portolan/plugin-api';
import { Transform, type TransformCallback } from 'node:stream';
import { toErrorMessage } from '../../request/http-errors.ts';
import { Turn } from '../../request/turn.ts';
import type { AnnouncedStreams } from '../../streams/list-changes.ts';
import type { ResponseScope, JudgedText } from './response-scope.ts';
import { MAX_EVENT_BYTES } from '../forward/rewrite-endpoint.ts';

export interface JudgeStreamOptions {
  readonly scope: ResponseScope;
  /**
   * Returns the new data of an `endpoint` event, and gets a function that inserts events from then on.
   * Undefined for transports without such events.
   */
  readonly endpoint: ((data: string, push: (event: string) => void) => string) | undefined;
  /** Streams that get notifications of the proxy itself; undefined for the stream of one request. */
  readonly announced: AnnouncedStreams | undefined;
  readonly logger: Logger;
}

type Passed = string | undefined;

/**
 * Lets policies read each event of a stream. The client gets newly written events, never the server's bytes.
 */
export function judgeStream(options: JudgeStreamOptions): Transform {
  const reader = new EventReader(MAX_EVENT_BYTES);
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
    // An event without its final blank line is incomplete, and no policy has read it, so it is dropped.
    flush: (done: TransformCallback) => {
      output.end();
      done();
    },
  });
  const output = new EventOutput(judge);
  const remove = options.announced?.add(output.insert);
  if (remove !== undefined) judge.once('close', remove);
  /**
   * Judges and writes events. Returns a promise when a policy is asynchronous or this turn of the event loop
   * is over; later events wait for it.
   */
  const passEvents = (events: Iterator<IncomingEvent>): Promise<void> | undefined => {
    for (let next = events.next(); next.done !== true; next = events.next()) {
      const passed = judgeEvent(options, next.value, output.insert);
      if (passed instanceof Promise) {
        return passed.then((judged) => {
          if (judged !== undefined) output.pass(judged);
          return passEvents(events);
        });
      }
      if (passed !== undefined) output.pass(passed);
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
  // An event without data only contains a comment, a retry time or an id to resume from.
  if (data === undefined || data === '') return writeJudged(incoming, data);
  if (event === 'endpoint' && endpoint !== undefined)
    return writeEvent({ event, data: endpoint(data, push) });
  const judged = scope.judge(data);
  return judged instanceof Promise
    ? judged.then((later) => passedOf(later, incoming, logger))
    : passedOf(judged, incoming, logger);
}

function passedOf(judged: JudgedText, incoming: IncomingEvent, logger: Logger): Passed {
  if ('dropped' in judged) {
    logger.debug({ because: judged.dropped }, 'message to a client was dropped');
    return undefined;
  }
  const text = 'refused' in judged ? toErrorMessage(judged.refused, judged.id) : judged.text;
  return writeJudged(incoming, text);
}

/** Clients can send it in a header, and it contains no JSON object. */
const EVENT_ID = /^[\x21-\x7a\x7c-\x7e]{0,256}$/;
const MAX_RETRY_MS = 60 * 60_000;
const MAX_LINE_END = 2;

/**
 * Returns a `message` event with the valid id and retry time, or a comment, which keeps the connection open.
 */
function writeJudged({ raw, id, retry }: IncomingEvent, data: string | undefined): string | undefined {
  const lines = [
    ...(retry !== undefined && /^\d{1,7}$/.test(retry) && Number(retry) <= MAX_RETRY_MS
      ? [`retry: ${Number(retry)}`]
      : []),
    ...(id !== undefined && EVENT_ID.test(id) ? [`id: ${id}`] : []),
    ...(data === undefined || data === '' ? [] : ['event: message']),
    ...(data?.split(LINE_END).map((line) => `data: ${line}`) ?? []),
  ];
  if (lines.length === 0) return raw.length <= MAX_LINE_END ? undefined : COMMENT;
  return `${lines.join('\n')}\n\n`;
}
