import { setImmediate as afterOtherWork } from 'node:timers/promises';
import type { Attachment, MessageConnection, MessageOptions, ReceivedMessage } from '@portolan/plugin-api';
import { LineReader } from './line-reader.ts';

/** Maximum length of a log line; the rest of it is omitted. */
const MAX_LOG_LINE_LENGTH = 16 * 1024;
/** Maximum number of blank lines per turn of the event loop: about 50 µs of work. */
const MAX_SKIPPED = 200;
/** Number of bytes that are kept of a message that is too long. */
const KEPT_OF_LONGER = 64 * 1024;

/**
 * Opens a connection over standard streams. Both `received` and `logged` must be read, because a container
 * blocks when its output is not consumed. Lines of white space are no messages.
 */
export function openStdioConnection(
  attachment: Attachment,
  { maxMessageBytes }: MessageOptions,
): MessageConnection {
  return {
    received: readMessages(attachment, maxMessageBytes),
    logged: readLog(attachment),
    send: (message) => attachment.write(Buffer.from(`${onOneLine(message)}\n`)),
    close: async () => {
      attachment.endInput();
      attachment.close();
      await attachment.ended;
    },
  };
}

async function* readMessages(attachment: Attachment, maxBytes: number): AsyncGenerator<ReceivedMessage> {
  const reader = new LineReader({ maxBytes, keptOfLonger: KEPT_OF_LONGER });
  let skipped = 0;
  for await (const chunk of attachment.stdout) {
    for (const { text, isWhole } of reader.read(chunk)) {
      if (!isWhole) yield { beginning: text };
      else if (!isBlank(text)) yield text;
      else {
        // Blank lines are skipped here, because the consumer of messages, which yields to other work, does
        // not see them.
        skipped += 1;
        if (skipped % MAX_SKIPPED === 0) await afterOtherWork();
      }
    }
  }
  const last = reader.end();
  if (last !== undefined && !isBlank(last.text)) yield last.text;
  const failure = await attachment.ended;
  if (failure !== undefined) throw failure;
}

async function* readLog({ stderr }: Attachment): AsyncGenerator<string> {
  const reader = new LineReader({ maxBytes: MAX_LOG_LINE_LENGTH, keptOfLonger: MAX_LOG_LINE_LENGTH });
  for await (const chunk of stderr) for (const { text } of reader.read(chunk)) yield text;
  const last = reader.end();
  if (last !== undefined) yield last.text;
}

function isBlank(text: string): boolean {
  return !text.startsWith('{') && text.trim() === '';
}

/**
 * Removes line breaks, which are valid between the parts of a JSON document, and never inside its strings.
 */
function onOneLine(message: string): string {
  return /[\r\n]/.test(message) ? message.replaceAll(/[\r\n]/g, ' ') : message;
}
