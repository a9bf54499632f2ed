import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A question as it came. */
export interface ReceivedQuestion {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answering = (
  question: { readonly uid: string; readonly mcp_request: never },
  response: ServerResponse,
) => void;

/** A service that webhooks ask, which answers as a test says. */
export interface WebhookServer {
  readonly url: string;
  readonly received: ReceivedQuestion[];
  answer: Answering;
  close(): Promise<void>;
}

export async function openWebhookServer(tls?: ServerOptions): Promise<WebhookServer> {
  const received: ReceivedQuestion[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ headers: request.headers, body });
      opened.answer(JSON.parse(body), response);
    });
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  // SAFETY: a listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const opened: WebhookServer = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/ask`,
    received,
    answer: allow(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return opened;
}

/** Answers with these members over those of an answer that allows. */
export function allow(members: object = {}): Answering {
  return ({ uid }, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ version: 'v0.1.0', uid, allowed: true, ...members }));
  };
}
