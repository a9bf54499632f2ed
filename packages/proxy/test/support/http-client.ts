import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { eventually } from '@portolan/plugin-testing';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';

export interface Send {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  /** Request target; the default is path and query of the URL. */
  readonly target?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every form
  readonly json: any;
}

const NO_AGENT = { agent: false } as const;

/** Sends a request and reads the complete response. */
export async function send(url: URL | string, options: Send = {}): Promise<Answer> {
  const response = await open(url, options);
  const text = await readText(response);
  return { status: response.statusCode ?? 0, headers: response.headers, text, json: tryJson(text) };
}

/** Sends a request and resolves when the head of the response has arrived. */
export function open(
  url: URL | string,
  { method = 'GET', headers = {}, body, target }: Send,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const path = target === undefined ? {} : { path: target };
    const sent = request(url, { method, headers, ...path, ...NO_AGENT });
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Opens a request whose body the test writes. */
export function begin(url: URL | string, { method = 'POST', headers = {} }: Send): ClientRequest {
  const sent = request(url, { method, headers, ...NO_AGENT });
  sent.on('error', () => undefined);
  return sent;
}

/** Events of a response in order of arrival. */
export class Events {
  readonly all: EventSourceMessage[] = [];
  readonly comments: string[] = [];
  readonly response: IncomingMessage;
  isOver = false;
  isBroken = false;

  constructor(response: IncomingMessage) {
    this.response = response;
    const parser = createParser({
      onEvent: (event) => this.all.push(event),
      onComment: (comment) => this.comments.push(comment),
    });
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => parser.feed(chunk));
    response.once('end', () => (this.isOver = true));
    response.once('error', () => (this.isBroken = true));
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every form
  get messages(): readonly any[] {
    return this.all.map(({ data }) => tryJson(data)).filter((message) => message !== undefined);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  async got(check: (message: any) => boolean): Promise<any> {
    return eventually(() => {
      const message = this.messages.find(check);
      if (message === undefined) throw new Error(`not among ${JSON.stringify(this.messages)}`);
      return message;
    });
  }

  async over(): Promise<void> {
    await eventually(() => {
      if (!this.isOver && !this.isBroken) throw new Error('the stream goes on');
    });
  }

  leave(): void {
    this.response.destroy();
  }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
