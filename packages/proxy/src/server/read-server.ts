import { type JsonRecord, parseServerMessage, splitServerBatch } from '@portolan/mcp-protocol';
import type { ServerConnection } from '@portolan/plugin-api';
import { FailedRequest } from './failed-request.ts';
import { ParsedMessage } from './parsed-message.ts';
import { LARGE_MESSAGE, Turn } from '../request/turn.ts';

export interface ServerReader {
  readonly isOver: () => boolean;
  readonly takesBatches: () => boolean;
  /** Returns the parsed form of a message that is cached, and unambiguous. */
  readonly recall: (text: string) => JsonRecord | undefined;
  readonly heard: () => void;
  readonly take: (text: string, message: ReturnType<typeof parseServerMessage>) => void;
  readonly tooLong: (beginning: string) => void;
  readonly failed: (request: FailedRequest) => void;
}

/** Reads the messages of a server. Yields to other sessions when its `Turn` is over. */
export async function readServer(
  received: ServerConnection['received'],
  reader: ServerReader,
): Promise<void> {
  const turn = new Turn();
  for await (const text of received) {
    if (reader.isOver()) return;
    reader.heard();
    if (text instanceof FailedRequest) reader.failed(text);
    else if (text instanceof ParsedMessage) {
      const { message } = text;
      if (message.text.length >= LARGE_MESSAGE) await turn.yield();
      if (!reader.isOver()) reader.take(message.text, message);
    } else if (typeof text !== 'string') reader.tooLong(text.beginning);
    else if (text.length >= LARGE_MESSAGE) await takeInTurns(text, turn, reader);
    else for (const element of split(text, reader)) reader.take(element, parse(element, reader));
    if (turn.isOver()) await turn.yield();
  }
}

/** Parses a large message in one turn of the event loop, and passes it on in the next. */
async function takeInTurns(text: string, turn: Turn, reader: ServerReader): Promise<void> {
  for (const element of split(text, reader)) {
    await turn.yield();
    const message = parse(element, reader);
    await turn.yield();
    if (reader.isOver()) return;
    reader.take(element, message);
  }
}

function parse(text: string, reader: ServerReader): ReturnType<typeof parseServerMessage> {
  const known = reader.recall(text);
  return parseServerMessage(text, known, known !== undefined);
}

function split(text: string, reader: ServerReader): readonly string[] {
  return (reader.takesBatches() ? splitServerBatch(text) : undefined) ?? [text];
}
