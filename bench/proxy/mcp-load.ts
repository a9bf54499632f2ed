import { median } from '../registry/statistics.ts';
import type { LoadResult } from '../registry/run-load.ts';
import { WireConnection } from './wire-connection.ts';

const COMMON = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n';
const REVISION = '2025-06-18';
const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: REVISION,
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  },
});
const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

interface Session {
  readonly connection: WireConnection;
  readonly headers: string;
  /** Last request id. Every session counts from one, so that equal ids are in flight concurrently. */
  last: number;
}

/** Load shape: the number of sessions with one call each, and the size of the payload in each direction. */
export interface LoadShape {
  readonly sessions: number;
  readonly payloadBytes: number;
  /** Lists tools instead of calling one. */
  readonly lists?: boolean;
}

/** Load generator: sessions at one address with calls in flight. Checks each response against its request. */
export class McpLoad {
  readonly url: URL;
  readonly #sessions: Session[] = [];
  readonly #openedMs: number[] = [];
  readonly #tokenFor: ((session: number) => string) | undefined;
  readonly #tools: readonly string[];

  /**
   * `tokenFor` returns the token of a session; left out: no authentication. Each session calls `tools` in
   * turn.
   */
  constructor(url: URL, tokenFor?: (session: number) => string, tools: readonly string[] = ['echo']) {
    this.url = url;
    this.#tokenFor = tokenFor;
    this.#tools = tools;
  }

  async open(count: number): Promise<void> {
    while (this.#sessions.length < count) {
      const startedAt = performance.now();
      const connection = new WireConnection(this.url);
      const token = this.#tokenFor?.(this.#sessions.length);
      const common = token === undefined ? COMMON : `Authorization: Bearer ${token}\r\n${COMMON}`;
      const { status, head } = await connection.send('POST', common, HELLO);
      const id = /\r\nmcp-session-id: *([^\r]+)/i.exec(head)?.[1];
      if (status !== 200 || id === undefined) throw new Error(`a session was not opened: status ${status}`);
      const headers = `${common}Mcp-Session-Id: ${id}\r\nMCP-Protocol-Version: ${REVISION}\r\n`;
      await connection.send('POST', headers, INITIALIZED);
      this.#openedMs.push(performance.now() - startedAt);
      this.#sessions.push({ connection, headers, last: 0 });
    }
  }

  /** Returns the median time to open a session, without the first one, which waited for the program. */
  medianOpenMs(): number {
    return median(this.#openedMs.slice(1));
  }

  /** Throws at the first wrong response. */
  async run({ sessions, payloadBytes, lists = false }: LoadShape, durationMs: number): Promise<LoadResult> {
    await this.open(sessions);
    const latenciesMs: number[] = [];
    const started = performance.now();
    const until = started + durationMs;
    const work = async (session: Session): Promise<void> => {
      for (let sentAt = performance.now(); sentAt < until; ) {
        await (lists ? list(session, this.#tools) : call(session, payloadBytes, this.#tools));
        const answeredAt = performance.now();
        latenciesMs.push(answeredAt - sentAt);
        sentAt = answeredAt;
      }
    };
    await Promise.all(this.#sessions.slice(0, sessions).map(work));
    return { requests: latenciesMs.length, seconds: (performance.now() - started) / 1000, latenciesMs };
  }

  /** Lists tools one after another. Returns the times in milliseconds. */
  async lists(count: number): Promise<readonly number[]> {
    await this.open(1);
    const [session] = this.#sessions;
    const times: number[] = [];
    if (session === undefined) return times;
    while (times.length < count) {
      const sentAt = performance.now();
      await list(session, this.#tools);
      times.push(performance.now() - sentAt);
    }
    return times;
  }

  async close(): Promise<void> {
    for (const { connection, headers } of this.#sessions.splice(0)) {
      // a peer may refuse it, or have ended
      await connection.send('DELETE', headers, '').catch(() => undefined);
      connection.close();
    }
  }
}

async function call(session: Session, payloadBytes: number, tools: readonly string[]): Promise<void> {
  session.last += 1;
  const id = session.last;
  const name = tools[id % tools.length] ?? 'echo';
  const text = `${session.headers.slice(-60, -30)}${id}`.replaceAll(/[^\w]/g, '').padEnd(payloadBytes, 'x');
  const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":{"message":"${text}"}}}`;
  const { status, message } = await session.connection.send('POST', session.headers, body);
  if (status === 200 && isAnswer(message, id, text)) return;
  throw new Error(`wrong answer to ${id}: status ${status}, ${message.slice(0, 200)}`);
}

async function list(session: Session, tools: readonly string[]): Promise<void> {
  session.last += 1;
  const id = session.last;
  const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`;
  const { status, message } = await session.connection.send('POST', session.headers, body);
  // SAFETY: every access is optional.
  const answer = JSON.parse(message) as { id?: unknown; result?: { tools?: { name?: string }[] } } | null;
  if (status === 200 && answer?.id === id && answer.result?.tools?.some(({ name }) => name === tools[0]))
    return;
  throw new Error(`wrong list to ${id}: status ${status}, ${message.slice(0, 200)}`);
}

function isAnswer(json: string, id: number, text: string): boolean {
  // SAFETY: every access is optional.
  const answer = JSON.parse(json) as { id?: unknown; result?: { content?: { text?: string }[] } } | null;
  return answer?.id === id && answer.result?.content?.[0]?.text === text;
}
