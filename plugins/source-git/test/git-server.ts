import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { git, QUIET_GIT } from './git-command.ts';

/** A request, and what becomes of it: answered here, or left to git. */
export type Intervene = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

/** `git http-backend` behind a server on loopback, for all repositories below a folder. */
export class GitServer {
  readonly url: string;
  /** Method, path and query of each request. */
  readonly asked: string[] = [];
  /** Answers before git does, when it says true. */
  intervene: Intervene = () => false;
  /** Whether it speaks version 2 of git's protocol, in which every object is given out; others give out what they name. */
  speaksVersion2 = true;
  /** The pair that is wanted; undefined: nobody is asked. */
  login: { readonly username: string; readonly password: string } | undefined;
  /** What stands before the answers of git, in bytes, after which the connection is cut; undefined: nothing is cut. */
  cutAfter: number | undefined;
  readonly #server: Server;
  readonly #folder: string;
  readonly #program: string;

  private constructor(server: Server, url: string, folder: string, program: string) {
    this.#server = server;
    this.url = url;
    this.#folder = folder;
    this.#program = program;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.asked.push(`${request.method} ${request.url}`);
      void this.#answer(request, response);
    });
  }

  static async start(folder: string, tls?: ServerOptions, host = '127.0.0.1'): Promise<GitServer> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    // A listening TCP server has an address with a port.
    const { port } = server.address() as AddressInfo;
    const program = await git(folder, ['--exec-path']);
    const url = `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
    return new GitServer(server, url, folder, `${program}/git-http-backend`);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Safe to call twice. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await this.intervene(request, response)) return;
    const { login } = this;
    if (login !== undefined && request.headers.authorization !== basic(login)) {
      request.resume();
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    this.#runBackend(request, response);
  }

  #runBackend(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? '/', this.url);
    const child = spawn(this.#program, [], {
      env: {
        ...QUIET_GIT,
        GIT_PROJECT_ROOT: this.#folder,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method,
        PATH_INFO: decodeURIComponent(pathname),
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        ...(request.headers['content-encoding'] === undefined
          ? {}
          : { HTTP_CONTENT_ENCODING: request.headers['content-encoding'] }),
        GIT_PROTOCOL: this.speaksVersion2 ? String(request.headers['git-protocol'] ?? '') : '',
        REMOTE_ADDR: '127.0.0.1',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.on('error', () => undefined);
    request.pipe(child.stdin);
    response.on('close', () => child.kill());
    let head: Buffer | undefined = Buffer.alloc(0);
    let sent = 0;
    const send = (chunk: Buffer): void => {
      sent += chunk.length;
      response.write(chunk);
      if (this.cutAfter !== undefined && sent > this.cutAfter) response.socket?.destroy();
    };
    child.stdout.on('data', (chunk: Buffer) => {
      if (head === undefined) {
        send(chunk);
        return;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      writeHead(response, head.toString('latin1', 0, end));
      const rest = head.subarray(end + 4);
      head = undefined;
      if (rest.length > 0) send(rest);
    });
    child.on('close', () => response.end());
  }
}

function writeHead(response: ServerResponse, text: string): void {
  let status = 200;
  for (const line of text.split('\r\n')) {
    const [name = '', value = ''] = line.split(': ', 2);
    if (name.toLowerCase() === 'status') status = Number(value.slice(0, 3));
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}

function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
