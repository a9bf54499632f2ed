import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@portolan/plugin-api';

/** What is answered to a request; undefined: that there is no such resource. */
export type Script = (
  request: { readonly path: string; readonly query: URLSearchParams; readonly method: string },
  response: ServerResponse,
) => JsonObject | number | undefined | 'answered';

/** What stands in for an API server where a real one cannot be made to answer so. */
export class ScriptedCluster {
  readonly folder: string;
  /** Paths with queries, as they were asked for. */
  readonly asked: string[] = [];
  script: Script = () => undefined;
  readonly #server: Server;

  private constructor(folder: string, server: Server) {
    this.folder = folder;
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#answer(request, response),
    );
  }

  static async start(): Promise<ScriptedCluster> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-test-'));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await writeFile(
      path.join(folder, 'kubeconfig'),
      `current-context: main
clusters: [{ name: main, cluster: { server: "http://127.0.0.1:${port}" } }]
users: [{ name: main, user: { token: s3cret } }]
contexts: [{ name: main, context: { cluster: main, user: main } }]
`,
    );
    return new ScriptedCluster(folder, server);
  }

  get kubeconfig(): string {
    return path.join(this.folder, 'kubeconfig');
  }

  /** Ends all connections. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await rm(this.folder, { recursive: true });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    this.asked.push(`${pathname}${new URL(request.url ?? '', 'http://127.0.0.1').search}`);
    const reply = this.script(
      { path: pathname, query: searchParams, method: request.method ?? '' },
      response,
    );
    if (reply === 'answered') return;
    const status = typeof reply === 'number' ? reply : reply === undefined ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(typeof reply === 'object' ? reply : { code: status, secret: 's3cret' }));
  }
}
