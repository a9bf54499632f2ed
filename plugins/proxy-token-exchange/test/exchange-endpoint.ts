import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ExchangeRequest {
  readonly form: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export type ExchangeResponder = (response: ServerResponse, asked: ExchangeRequest) => void;

/** A token endpoint on loopback that answers as a test says, and remembers what it was asked. */
export class ExchangeEndpoint {
  readonly url: string;
  readonly asked: readonly ExchangeRequest[];
  readonly close: () => Promise<void>;

  private constructor(url: string, asked: readonly ExchangeRequest[], close: () => Promise<void>) {
    this.url = url;
    this.asked = asked;
    this.close = close;
  }

  static async open(answer: ExchangeResponder): Promise<ExchangeEndpoint> {
    const all: ExchangeRequest[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const asked = { form: new URLSearchParams(body), headers: request.headers };
        all.push(asked);
        answer(response, asked);
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    // SAFETY: it listens on a port.
    const { port } = server.address() as AddressInfo;
    return new ExchangeEndpoint(`http://127.0.0.1:${port}/token`, all, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
  }
}

/** Answers with the token that says what it was exchanged for. */
export function answerToken(response: ServerResponse, { form }: ExchangeRequest, more: object = {}): void {
  response.setHeader('Content-Type', 'application/json');
  response.end(
    JSON.stringify({
      access_token: `for-${form.get('subject_token')}`,
      token_type: 'Bearer',
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      expires_in: 600,
      ...more,
    }),
  );
}
