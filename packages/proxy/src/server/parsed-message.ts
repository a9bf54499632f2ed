import type { Message, RequestMessage } from '@portolan/mcp-protocol';
import type { MessageSender, ServerConnection } from '@portolan/plugin-api';

/** Connection in this process that takes parsed requests, so that no program parses their text twice. */
export interface ParsingConnection extends ServerConnection {
  /** Takes a request as if `send` had got its text. */
  request(message: RequestMessage, sender?: MessageSender): void;
}

/** Returns whether a connection takes parsed requests. */
export function takesParsed(connection: ServerConnection): connection is ParsingConnection {
  return 'request' in connection && typeof connection.request === 'function';
}

/** Message of a connection in this process, which has parsed the text already. */
export class ParsedMessage {
  readonly message: Message;

  constructor(message: Message) {
    this.message = message;
  }

  /** Text for a reader that knows only texts. */
  get beginning(): string {
    return this.message.text;
  }
}
