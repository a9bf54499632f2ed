import { createServer as createProxy } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect, type Server as NetServer } from 'node:net';
import { type Certificate, makeCertificate } from '../../../support/certificate.ts';

/** Reserved host names of the indexes. */
export const NPM_HOST = 'npm.acme.example';
export const PYTHON_HOST = 'python.acme.example';
export const GO_HOST = 'go.acme.example';
const NAMES = [NPM_HOST, PYTHON_HOST, GO_HOST];

interface Answer {
  readonly type: string;
  readonly body: string | Buffer;
}

/**
 * Package indexes on loopback with a private certificate authority. Lookups and builds reach them through a
 * proxy, like that of a company, so that no packet leaves the machine.
 */
export class LocalIndexes {
  /** Responses by host and path, such as `npm.acme.example/notes`. */
  readonly answers = new Map<string, Answer>();
  /** Requested host names and paths, in the same form. */
  readonly asked: string[] = [];
  /** Tunnels requested from the proxy, such as `npm.acme.example:443`. */
  readonly tunnels: string[] = [];
  /** The only accepted `Authorization` header by host. Other requests get 401. */
  readonly guards = new Map<string, string>();
  /** When false, the index refuses all connections. */
  isUp = true;
  /** Certificate file of the authority. */
  readonly certificate: string;
  readonly #secure: Pick<Certificate, 'cert' | 'key'>;
  readonly #servers: NetServer[] = [];
  #port = 0;
  #proxyPort = 0;

  private constructor({ cert, key, file }: Certificate) {
    this.certificate = file;
    this.#secure = { cert, key };
  }

  /** Starts the indexes. Needs `openssl`. */
  static async open(folder: string): Promise<LocalIndexes> {
    const indexes = new LocalIndexes(await makeCertificate(folder, NAMES));
    indexes.#port = await indexes.#listen(indexes.#openIndex());
    indexes.#proxyPort = await indexes.#listen(indexes.#openProxy());
    return indexes;
  }

  /** Variables of a host with such a proxy. */
  get environment(): Readonly<Record<string, string>> {
    return { HTTPS_PROXY: `http://127.0.0.1:${this.#proxyPort}` };
  }

  async close(): Promise<void> {
    for (const server of this.#servers.splice(0)) {
      const closed = new Promise((resolve) => void server.close(resolve));
      if ('closeAllConnections' in server) (server as Server).closeAllConnections();
      await closed;
    }
  }

  #openIndex(): NetServer {
    return createServer(this.#secure, (request, response) => {
      const host = (request.headers.host ?? '').replace(/:\d+$/, '');
      const what = `${host}${decodeURIComponent(request.url ?? '')}`;
      this.asked.push(what);
      const answer = this.answers.get(what);
      const wanted = this.guards.get(host);
      if (!this.isUp) response.writeHead(503).end();
      else if (wanted !== undefined && request.headers.authorization !== wanted) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="index"' }).end();
      } else if (answer === undefined) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': answer.type }).end(answer.body);
    });
  }

  #openProxy(): NetServer {
    const proxy = createProxy((_request, response) => response.writeHead(403).end());
    proxy.on('connect', (request, socket) => {
      this.tunnels.push(request.url ?? '');
      const target = connect(this.#port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(target).pipe(socket);
      });
      for (const [one, other] of [
        [socket, target],
        [target, socket],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    });
    return proxy;
  }

  async #listen(server: NetServer): Promise<number> {
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // SAFETY: a TCP server has a port.
    return (server.address() as AddressInfo).port;
  }
}
