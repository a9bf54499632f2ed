import type { Attachment, MessageConnection, MessageOptions } from '@portolan/plugin-api';
import { lineTooLong } from './errors.ts';
import { readLines } from './read-lines.ts';

/** Of a line for people; the rest of a longer one is left out. */
const LONGEST_LOG_LINE = 16 * 1024;

/**
 * Messages over an attachment, one a line each way. Both `received` and
 * `logged` have to be read: a container whose output nobody takes stands still.
 * A line longer than a message may be ends `received` with
 * ERR_SERVER_LINE_TOO_LONG. Lines of white space alone are no messages.
 */
export function openStdioConnection(
  attachment: Attachment,
  { maxMessageBytes }: MessageOptions,
): MessageConnection {
  return {
    received: readMessages(attachment, maxMessageBytes),
    logged: readLines(attachment.stderr, { mostBytes: LONGEST_LOG_LINE, longer: 'cut' }),
    send: (message) => attachment.write(Buffer.from(`${onOneLine(message)}\n`)),
    close: async () => {
      attachment.endInput();
      attachment.close();
      await attachment.ended;
    },
  };
}

async function* readMessages(attachment: Attachment, mostBytes: number): AsyncGenerator<string> {
  const lines = readLines(attachment.stdout, { mostBytes, longer: () => lineTooLong(mostBytes) });
  for await (const line of lines) if (line.trim() !== '') yield line;
  const failure = await attachment.ended;
  if (failure !== undefined) throw failure;
}

/** Line breaks may stand between the parts of a JSON document, never inside one of its strings. */
function onOneLine(message: string): string {
  return /[\r\n]/.test(message) ? message.replaceAll(/[\r\n]/g, ' ') : message;
}
