import {
  classifyMessage,
  NOTHING_KNOWN,
  isModern,
  responseDetailsOf,
  parseClientBody,
  type Message,
  type MessageId,
} from '@portolan/mcp-protocol';

export interface Peek {
  readonly id: MessageId | undefined;
  readonly kind: Message['kind'] | undefined;
  /** Whether the message belongs to no session, so that a session id is a mistake or an attack. */
  readonly isSessionless: boolean;
}

/**
 * Reads the kind and id of the message in a body. Never throws. Parses a body at once only if it may belong
 * to no session; otherwise parsing waits until a failure needs the id.
 */
export function peekBody(body: Buffer | undefined, version: string | undefined): Peek {
  return new PeekedBody(body, version);
}

interface Parsed {
  readonly message?: Message | undefined;
  readonly invalidId?: MessageId | undefined;
}

class PeekedBody implements Peek {
  readonly #body: Buffer | undefined;
  readonly #version: string | undefined;
  #parsed: Parsed | undefined;

  constructor(body: Buffer | undefined, version: string | undefined) {
    this.#body = body;
    this.#version = version;
  }

  get id(): MessageId | undefined {
    const { message, invalidId } = this.#read();
    return message?.kind === 'request' ? message.id : invalidId;
  }

  get kind(): Message['kind'] | undefined {
    return this.#read().message?.kind;
  }

  get isSessionless(): boolean {
    const version = this.#version;
    if (this.#body === undefined || !mayBeSessionless(this.#body, version)) return false;
    const { message } = this.#read();
    if (message === undefined) return false;
    const isInitialize = message.kind !== 'response' && message.method === 'initialize';
    return isInitialize || isOfModernEra(message, version);
  }

  #read(): Parsed {
    return (this.#parsed ??= this.#body === undefined ? {} : tryParse(this.#body));
  }
}

/** Texts of which a message without a session contains at least one, including escapes (`\u0069`, `\/`). */
const SIGNS = ['initialize', 'io.modelcontextprotocol/', '\\u', '\\/'];

function mayBeSessionless(body: Buffer, version: string | undefined): boolean {
  return (version !== undefined && isModern(version)) || SIGNS.some((sign) => body.includes(sign));
}

function tryParse(body: Buffer): Parsed {
  try {
    const parsed = parseClientBody(body);
    return parsed.form === 'message' ? { message: parsed.message } : {};
  } catch (error) {
    return { invalidId: responseDetailsOf(error).id };
  }
}

function isOfModernEra(message: Message, version: string | undefined): boolean {
  if (version !== undefined && isModern(version)) return true;
  try {
    const headers = { version, method: undefined, name: undefined };
    return classifyMessage(message, headers, NOTHING_KNOWN).era !== 'legacy';
  } catch {
    return true;
  }
}
