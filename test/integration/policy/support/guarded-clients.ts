import { request } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { Events, open, send } from '../../../../packages/proxy/test/support/http-client.ts';
import { initialize, McpClient } from '../../../../packages/proxy/test/support/mcp-client.ts';
import { CAPABILITIES, CLAIM, MODERN } from '../../../../packages/proxy/test/support/modern-client.ts';

export type Era = 'legacy' | 'modern';
export type HeaderChanges = Readonly<Record<string, string | undefined>>;

export interface Sent {
  readonly body: string | Buffer;
  /** Further headers. Undefined removes one. */
  readonly headers?: HeaderChanges;
  /** Bytes in each chunk. The default sends all at once with `Content-Length`. */
  readonly piece?: number;
}

export interface GuardedResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends a request to the session of a client, and returns all responses. */
interface Sender {
  readonly send: (
    request: (to: URL, session: string | undefined) => Promise<GuardedResponse>,
  ) => Promise<GuardedResponse>;
}

export async function requestSender(url: URL, era: Era): Promise<Sender> {
  const client = era === 'legacy' ? await McpClient.connect(url, { version: '2025-03-26' }) : undefined;
  return { send: (sent) => sent(url, client?.session) };
}

/** A client that receives responses on the stream of its session. */
export class StreamSender implements Sender {
  readonly #events: Events;
  readonly #endpoint: URL;
  #barriers = 0;

  constructor(events: Events, endpoint: URL) {
    this.#events = events;
    this.#endpoint = endpoint;
  }

  static async open(url: URL): Promise<StreamSender> {
    const events = new Events(await open(url, { headers: { Accept: 'text/event-stream' } }));
    const endpoint = await eventually(() => {
      const found = events.all.find(({ event }) => event === 'endpoint');
      expect(found).not.to.equal(undefined);
      return new URL(found?.data ?? '', url);
    });
    const sender = new StreamSender(events, endpoint);
    await sender.#post(initialize('2025-03-26'));
    await events.got(({ id }) => id === 'init');
    await sender.#post({ method: 'notifications/initialized' });
    return sender;
  }

  async send(sent: Parameters<Sender['send']>[0]): Promise<GuardedResponse> {
    const before = this.#events.all.length;
    const { status, text } = await sent(this.#endpoint, undefined);
    // The response to this later request shows that no other response follows.
    this.#barriers += 1;
    const barrier = `barrier ${this.#barriers}`;
    await this.#post({ id: barrier, method: 'ping', params: { [BARRIER]: true } });
    const said = await eventually(() => {
      const all = this.#events.all.slice(before).map(({ data }) => data);
      expect(all.some((data) => data.includes(barrier))).to.equal(true);
      return all;
    });
    return { status, text: [text, ...said.filter((data) => !data.includes(barrier))].join('\n') };
  }

  #post(message: object): Promise<unknown> {
    return send(this.#endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  }
}

const BARRIER = 'sent behind what is tried';

export function isBarrier(text: Buffer | string): boolean {
  return text.includes(BARRIER);
}

export function callOf(era: Era, name: string): string {
  const meta = era === 'modern' ? { _meta: { [CLAIM]: MODERN, [CAPABILITIES]: {} } } : {};
  const params = { name, arguments: { a: 1 }, ...meta };
  return JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
}

/** Returns a request for the list. Each has its own id, because an interrupted one may still wait. */
export function listOf(era: Era, id: number, method: string): string {
  const params = era === 'modern' ? { _meta: { [CLAIM]: MODERN, [CAPABILITIES]: {} } } : {};
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function headersOf(era: Era, name: string, session: string | undefined): HeaderChanges {
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(era === 'modern'
      ? { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': name }
      : { 'Mcp-Session-Id': session }),
  };
}

export function headLines(url: URL, headers: HeaderChanges): string {
  const all = Object.entries({ Host: url.host, Connection: 'close', ...headers });
  return all.map(([name, value]) => (value === undefined ? '' : `${name}: ${value}\r\n`)).join('');
}

/** Writes bytes unchanged, and reads until the other side ends the connection. */
export function writeRaw({ hostname, port }: URL, raw: string): Promise<GuardedResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(raw));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text }));
  });
}

export function post(
  url: URL,
  { body, headers, piece }: Sent,
  usual: HeaderChanges,
): Promise<GuardedResponse> {
  const all = Object.entries({ ...usual, ...headers });
  const given = Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false, headers: given }, (answer) => {
      readText(answer).then((text) => resolve({ status: answer.statusCode ?? 0, text }), reject);
    });
    sent.once('error', reject);
    const bytes = Buffer.from(body);
    if (piece === undefined) sent.end(bytes);
    else {
      sent.setNoDelay(true);
      for (let at = 0; at < bytes.length; at += piece) sent.write(bytes.subarray(at, at + piece));
      sent.end();
    }
  });
}
