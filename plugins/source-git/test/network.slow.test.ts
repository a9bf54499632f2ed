import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as ask, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { findAnyRoute, findOpenRoute } from '@portolan/outbound';
import type { FindRoute } from '@portolan/plugin-api';
import { expect } from 'chai';
import { freePort } from '../../../test/support/free-port.ts';
import { makeCertificate } from '../../../test/support/certificate.ts';
import type { GitConfig } from '../src/index.ts';
import { faultOf } from './fault-of.ts';
import { catalogueOf, GitBench, namesOf, type Synced } from './git-bench.ts';
import { GitServer } from './git-server.ts';

/** Of the proxy. */
const LOGIN = `Basic ${Buffer.from('reader:pr@xy').toString('base64')}`;

describe('git source network', () => {
  let bench: GitBench;

  beforeEach(async () => {
    bench = await GitBench.open();
    await bench.repository.commit({ 'registry.json': catalogueOf('x') });
  });
  afterEach(() => bench.close());

  describe('https', () => {
    let server: GitServer;
    let repository: string;

    beforeEach(async () => {
      const { cert, key } = await makeCertificate(bench.folder, ['localhost']);
      await writeFile(join(bench.folder, 'ca.pem'), `an introduction\n${cert.toString()}`);
      server = await GitServer.start(join(bench.folder, 'served'), { cert, key });
      repository = `https://localhost:${server.port}/catalogue.git`;
    });
    afterEach(() => server.stop());

    const faults = async (more: Partial<GitConfig>): Promise<string> =>
      (await faultOf(async () => bench.sync(await bench.source({ repository, ...more })))).code;

    it('trusts the authorities of the file, and refuses other servers', async () => {
      const source = await bench.source({ repository, caCertPath: 'ca.pem', allowHttp: false });
      expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/x']);
      expect(await faults({})).to.equal('ERR_SOURCE_UNTRUSTED');
      const other = `https://127.0.0.1:${server.port}/catalogue.git`;
      expect(await faults({ caCertPath: 'ca.pem', repository: other })).to.equal('ERR_SOURCE_UNTRUSTED');
    });

    it('reports a missing authority file, or one without certificates', async () => {
      await writeFile(join(bench.folder, 'empty.pem'), 'nothing');
      expect(await faults({ caCertPath: 'empty.pem' })).to.equal('ERR_SOURCE_CREDENTIAL_FILE');
      expect(await faults({ caCertPath: 'none.pem' })).to.equal('ERR_SOURCE_CREDENTIAL_FILE');
      expect(await faults({ caCertPath: '/dev/zero' }), 'a device without end').to.equal(
        'ERR_SOURCE_CREDENTIAL_FILE',
      );
    });

    it('trusts the same authorities after a redirect', async () => {
      server.intervene = (request, response) => {
        if (!request.url?.startsWith('/old/')) return false;
        response.writeHead(301, { location: request.url.replace('/old/', '/catalogue.git/') }).end();
        return true;
      };
      const address = `https://localhost:${server.port}/old`;
      const source = await bench.source({ repository: address, caCertPath: 'ca.pem' });
      expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/x']);
    });
  });

  it('reads a local bare repository by file://', async () => {
    const repository = `file://${join(bench.folder, 'served', 'catalogue.git')}`;
    const source = await bench.source({ repository, allowHttp: false });
    expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/x']);
    await bench.repository.commit({ 'registry.json': catalogueOf('x', 'y') });
    expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/x', 'dev.acme/y']);
    const fault = await faultOf(async () =>
      bench.sync(await bench.source({ repository: `${repository}-missing`, allowHttp: false })),
    );
    expect(fault.code).to.equal('ERR_SOURCE_DENIED');
  });

  it('refuses file:// and http:// on loopback when loopback is not trusted', async () => {
    for (const repository of [`file://${bench.folder}/served/catalogue.git`, bench.server.url]) {
      const fault = await faultOf(() =>
        bench.source({ repository, allowHttp: false }, { trustsLoopback: false }),
      );
      expect(fault.code).to.equal('ERR_SOURCE_CONFIG');
    }
  });

  describe('address limits', () => {
    const named = (): string => `http://git.acme.example:${bench.server.port}/catalogue.git`;
    const open = (allowPrivateAddresses: boolean, ...addresses: string[]): FindRoute =>
      findOpenRoute(
        { allowPrivateAddresses },
        { resolve: async () => addresses.map((address) => ({ address, family: 4 })) },
      );

    it('connects to the checked addresses, whatever the name resolves to in git', async () => {
      const findRoute = open(true, '127.0.0.1');
      const source = await bench.source({ repository: named() }, { findRoute });
      expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/x']);
    });

    it('refuses private addresses, by name or literally, without starting git', async () => {
      for (const [repository, findRoute] of [
        [named(), open(false, '127.0.0.1')],
        [`${bench.server.url}/catalogue.git`, findOpenRoute({ allowPrivateAddresses: false })],
        [
          `http://[::ffff:127.0.0.1]:${bench.server.port}/catalogue.git`,
          findOpenRoute({ allowPrivateAddresses: false }),
        ],
        [
          `http://2130706433:${bench.server.port}/catalogue.git`,
          findOpenRoute({ allowPrivateAddresses: false }),
        ],
      ] as const) {
        const source = await bench.source({ repository }, { findRoute });
        expect((await faultOf(() => bench.sync(source))).code, repository).to.equal('ERR_ADDRESS_FORBIDDEN');
      }
      expect(bench.server.asked).to.deep.equal([]);
    });

    it('ignores the proxies of the environment', async () => {
      const environment = {
        PATH: process.env['PATH'],
        http_proxy: 'http://127.0.0.1:1',
        all_proxy: 'http://127.0.0.1:1',
      };
      const source = await bench.source(
        { repository: named() },
        { environment, findRoute: open(true, '127.0.0.1') },
      );
      expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/x']);
    });

    it("connects to IPv6 addresses, by name and literally, over http and over https with the name's certificate", async () => {
      const { cert, key } = await makeCertificate(bench.folder, ['git.acme.example']);
      for (const tls of [undefined, { cert, key }]) {
        const server = await GitServer.start(join(bench.folder, 'served'), tls, '::1');
        try {
          const scheme = tls === undefined ? 'http' : 'https';
          const repository = `${scheme}://git.acme.example:${server.port}/catalogue.git`;
          const trust = tls === undefined ? {} : { caCertPath: 'certificate.pem' };
          const source = await bench.source({ repository, ...trust }, { findRoute: open(true, '::1') });
          expect(namesOf(await bench.sync(source)), repository).to.deep.equal(['dev.acme/x']);
          if (tls !== undefined) continue;
          const literal = await bench.source(
            { repository: `${server.url}/catalogue.git` },
            { findRoute: open(true) },
          );
          expect(namesOf(await bench.sync(literal)), server.url).to.deep.equal(['dev.acme/x']);
          const closed = await bench.source(
            { repository: `${server.url}/catalogue.git` },
            { findRoute: findOpenRoute({ allowPrivateAddresses: false }) },
          );
          expect((await faultOf(() => bench.sync(closed))).code).to.equal('ERR_ADDRESS_FORBIDDEN');
        } finally {
          await server.stop();
        }
      }
    });

    it('fails for an unknown name', async () => {
      const findRoute: FindRoute = () =>
        Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { syscall: 'getaddrinfo' }));
      const fault = await faultOf(async () =>
        bench.sync(await bench.source({ repository: named() }, { findRoute })),
      );
      expect(fault.code).to.equal('ERR_SOURCE_UNREACHABLE');
      expect(fault.message).to.not.include('acme');
    });

    it('aborts a name look-up that hangs', async () => {
      const stop = new AbortController();
      const findRoute: FindRoute = () => {
        stop.abort(new Error('enough'));
        return new Promise(() => undefined);
      };
      const source = await bench.source({ repository: named() }, { findRoute });
      const outcome = await bench.sync(source, { signal: stop.signal }).catch((error: unknown) => error);
      expect(outcome).to.have.property('message', 'enough');
    });
  });

  describe('proxy', () => {
    let proxy: Server;
    let seen: string[];
    let address: string;

    beforeEach(async () => {
      seen = [];
      proxy = createServer((request, response) => {
        seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
        const { pathname, search } = new URL(request.url ?? '');
        const { headers, method } = request;
        const onward = ask(
          { host: '127.0.0.1', port: bench.server.port, path: pathname + search, method, headers },
          (answer) => {
            response.writeHead(answer.statusCode ?? 500, answer.headers);
            answer.pipe(response);
          },
        );
        request.pipe(onward);
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      // It listens, and not on a pipe.
      address = `http://reader:pr%40xy@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    });
    afterEach(() => {
      proxy.closeAllConnections();
      proxy.close();
    });

    describe('with a login, to an https server', () => {
      let server: GitServer;
      let sockets: Socket[] = [];
      let connects: 'at once' | 'never';
      const repository = 'https://git.acme.example/catalogue.git';

      beforeEach(async () => {
        const { cert, key } = await makeCertificate(bench.folder, ['git.acme.example']);
        server = await GitServer.start(join(bench.folder, 'served'), { cert, key });
        connects = 'at once';
        proxy.on('connect', (request: IncomingMessage, client: Socket) => {
          seen.push(`${request.method} ${request.url}`);
          sockets.push(client.on('error', () => undefined));
          if (request.headers['proxy-authorization'] !== LOGIN) {
            client.end(
              'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\nconnection: close\r\nproxy-authenticate: Basic realm="p"\r\n\r\n',
            );
          } else if (connects === 'at once') {
            const onward = connect(server.port, '127.0.0.1', () => {
              client.write('HTTP/1.1 200 Connection established\r\n\r\n');
              onward.pipe(client).pipe(onward);
            });
            sockets.push(onward.on('error', () => client.destroy()));
          }
        });
      });
      afterEach(async () => {
        for (const socket of sockets) socket.destroy();
        sockets = [];
        await server.stop();
      });

      const through = async (proxyUrl: string, more: Partial<GitConfig> = {}): Promise<Synced> => {
        const environment = { PATH: process.env['PATH'], https_proxy: proxyUrl };
        const around = { environment, findRoute: findAnyRoute(environment) };
        const block = { repository, caCertPath: 'certificate.pem', ...more };
        return await bench.sync(await bench.source(block, around));
      };

      it('sees only a tunnel to the name', async () => {
        expect(namesOf(await through(address))).to.deep.equal(['dev.acme/x']);
        expect(new Set(seen)).to.deep.equal(new Set(['CONNECT git.acme.example:443']));
      });

      it("reports a refusal, without the proxy's password", async () => {
        for (const wrong of [address.replace('pr%40xy', 'wr%40ng'), address.replace(/[^/]*@/, '')]) {
          const fault = await faultOf(() => through(wrong));
          expect(fault.code).to.equal('ERR_SOURCE_UNREACHABLE');
          expect(fault.message).to.include('proxy');
          expect(inspect(fault, { depth: 9 })).to.not.match(/wr(?:@|%40)ng|127\.0\.0\.1/);
        }
        expect(server.asked).to.deep.equal([]);
      });

      it('reports a proxy that hangs or is unreachable', async () => {
        connects = 'never';
        expect((await faultOf(() => through(address, { timeout: '700ms' }))).code).to.equal(
          'ERR_SOURCE_TIMEOUT',
        );
        expect(await bench.processes()).to.deep.equal([]);
        const nobody = `http://127.0.0.1:${await freePort()}`;
        expect((await faultOf(() => through(nobody))).code).to.equal('ERR_SOURCE_UNREACHABLE');
      });
    });

    it("uses the operator's proxy for other machines, which resolves the name", async () => {
      const environment = { PATH: process.env['PATH'], http_proxy: address, no_proxy: '.intern.example' };
      const context = { environment, findRoute: findAnyRoute(environment) };
      const source = await bench.source({ repository: 'http://git.acme.example/catalogue.git' }, context);
      expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/x']);
      expect(seen).to.have.length.above(0);
      for (const line of seen) expect(line).to.include(' http://git.acme.example/catalogue.git/');
      seen.length = 0;
      await bench.sync(await bench.source({}, context));
      expect(seen, 'of what is on this machine').to.deep.equal([]);
    });
  });
});
