import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { faultOf } from './fault-of.ts';
import { git } from './git-command.ts';
import { catalogueOf, GitBench, namesOf } from './git-bench.ts';
import { TestRepository } from './test-repository.ts';

describe('git source with a faulty repository or server', () => {
  let bench: GitBench;

  beforeEach(async () => {
    bench = await GitBench.open();
    await bench.repository.commit({ 'registry.json': catalogueOf('first') });
  });
  afterEach(() => bench.close());

  it('reads a rewritten history', async () => {
    const source = await bench.source();
    await bench.repository.commit({ 'registry.json': catalogueOf('second') });
    await bench.sync(source);
    await bench.repository.commit({ 'registry.json': catalogueOf('anew') }, { isNew: true });
    expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/anew']);
  });

  it('reports a deleted branch, and continues when it is back', async () => {
    await bench.repository.git('branch', 'side');
    const source = await bench.source({ branch: 'side' });
    await bench.sync(source);
    await bench.repository.git('branch', '-D', 'side');
    const fault = await faultOf(async () => bench.sync(source));
    expect(fault).to.include({ code: 'ERR_SOURCE_GIT_REFERENCE' });
    await bench.repository.git('branch', 'side');
    expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/first']);
  });

  it('follows a moved tag', async () => {
    await bench.repository.tag('v1');
    const source = await bench.source({ tag: 'v1' });
    const { fingerprint } = await bench.sync(source);
    await bench.repository.commit({ 'registry.json': catalogueOf('second') });
    expect((await bench.sync(source)).fingerprint).to.equal(fingerprint);
    await bench.repository.tag('v1');
    const synced = await bench.sync(source);
    expect(synced.fingerprint).to.not.equal(fingerprint);
    expect(namesOf(synced)).to.deep.equal(['dev.acme/second']);
  });

  it('reports a missing path with its branch', async () => {
    const source = await bench.source({ branch: 'main' });
    await bench.sync(source);
    await bench.repository.commit({ 'registry.json': undefined, 'other.json': '{}' });
    const fault = await faultOf(async () => bench.sync(source));
    expect(fault).to.include({ code: 'ERR_SOURCE_GIT_PATH' });
    expect(fault.message).to.include('"registry.json"').and.include('branch "main"');
  });

  it('reads another repository at the same address, also with another hash algorithm', async () => {
    const source = await bench.source();
    await bench.sync(source);
    for (const words of [[], ['--object-format=sha256']]) {
      await rm(bench.repository.folder, { recursive: true });
      const other = await TestRepository.make(bench.repository.folder, {}, words);
      await other.commit({ 'registry.json': catalogueOf(`other${words.length}`) });
      expect(namesOf(await bench.sync(source))).to.deep.equal([`dev.acme/other${words.length}`]);
    }
  });

  it('reads a file of 50 MB in chunks, with little memory', async function () {
    this.timeout(180_000);
    const servers = Array.from({ length: 50 }, (_, at) => ({
      name: `dev.acme/s${at}`,
      description: 'x',
      version: '1.0.0',
      _meta: { filler: randomBytes(10_000).toString('hex').replaceAll(/.{99}/g, '$& ') },
    }));
    await bench.repository.commit({
      'registry.json': JSON.stringify({ data: { servers } }).padEnd(50_000_000),
    });
    const source = await bench.source({ timeout: '2m' });
    const context = readContext(bench.scratch, 1 << 30);
    let names = 0;
    let most = 0;
    const before = process.memoryUsage.rss();
    for await (const item of source.readEntries(new AbortController().signal, context)) {
      if ('document' in item) names += 1;
      most = Math.max(most, process.memoryUsage.rss() - before);
    }
    expect(names).to.equal(50);
    expect(most / 1024 / 1024, 'MiB').to.be.below(200);
  });

  it('does not fetch a history of 100,000 commits', async function () {
    this.timeout(180_000);
    const lines: string[] = [];
    for (let at = 0; at < 100_000; at += 1) {
      const parent = at === 0 ? '' : `from :${at}\n`;
      lines.push(
        `commit refs/heads/long\nmark :${at + 1}\ncommitter A <a@b> ${1_700_000_000 + at} +0000\ndata 1\nx\n${parent}`,
      );
    }
    const text = catalogueOf('long');
    lines.push(`M 100644 inline registry.json\ndata ${Buffer.byteLength(text)}\n${text}\n`);
    await git(bench.repository.folder, ['fast-import', '--quiet'], lines.join(''));
    const source = await bench.source({ branch: 'long', maxObjects: 10, timeout: '2m' });
    expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/long']);
    await bench.repository.commit({ 'registry.json': catalogueOf('longer') }, { branch: 'long' });
    expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/longer']);
  });

  describe('server', () => {
    it('reports a connection closed within a pack, yields nothing, and reads it in the next sync', async () => {
      await bench.repository.commit({
        'registry.json': catalogueOf('x').padEnd(10),
        'big.json': randomBytes(900_000),
      });
      const source = await bench.source({ path: 'big.json' });
      bench.server.cutAfter = 200_000;
      const fault = await faultOf(async () => bench.sync(source));
      expect(fault).to.include({ code: 'ERR_SOURCE_UNREACHABLE' });
      expect(await bench.processes()).to.deep.equal([]);
      bench.server.cutAfter = undefined;
      const other = await bench.source();
      expect(namesOf(await bench.sync(other))).to.deep.equal(['dev.acme/x']);
    });

    it('reports a server that closes at once or is unreachable', async () => {
      bench.server.intervene = (request) => {
        request.socket.destroy();
        return true;
      };
      expect((await faultOf(async () => bench.sync(await bench.source()))).code).to.equal(
        'ERR_SOURCE_UNREACHABLE',
      );
      const source = await bench.source({ repository: `http://127.0.0.1:${await closedPort()}/x.git` });
      const fault = await faultOf(async () => bench.sync(source));
      expect(fault.code).to.equal('ERR_SOURCE_UNREACHABLE');
      expect(fault.message).to.not.include('127.0.0.1');
    });

    const STATUSES = [
      [404, 'ERR_SOURCE_DENIED'],
      [403, 'ERR_SOURCE_DENIED'],
      [429, 'ERR_SOURCE_UNREACHABLE'],
      [503, 'ERR_SOURCE_UNREACHABLE'],
    ] as const;
    for (const [status, code] of STATUSES) {
      it(`reports status ${status}`, async () => {
        bench.server.intervene = (_request, response) => {
          response.writeHead(status).end('no');
          return true;
        };
        expect((await faultOf(async () => bench.sync(await bench.source()))).code).to.equal(code);
      });
    }

    it('reports an HTML page, or invalid git data', async () => {
      for (const type of ['text/html', 'application/x-git-upload-pack-advertisement']) {
        bench.server.intervene = (_request, response) => {
          response.writeHead(200, { 'content-type': type }).end('<html>0000 hello');
          return true;
        };
        const fault = await faultOf(async () => bench.sync(await bench.source()));
        expect(fault.code, type).to.match(/^ERR_SOURCE_GIT_/);
        expect(fault.hint).to.be.a('string');
      }
    });

    it('reports a plain file server that does not speak git’s protocol', async () => {
      await bench.repository.git('update-server-info');
      bench.server.intervene = async (request, response) => {
        const { pathname } = new URL(request.url ?? '', bench.server.url);
        const file = await readFile(join(bench.folder, 'served', pathname)).catch(() => undefined);
        response.writeHead(file === undefined ? 404 : 200).end(file);
        return true;
      };
      const fault = await faultOf(async () => bench.sync(await bench.source()));
      expect([fault.code, fault.message]).to.deep.equal([
        'ERR_SOURCE_UNREACHABLE',
        "The repository cannot be reached (its server hands out files, and does not speak git's protocol).",
      ]);
    });

    it('follows a redirect to another name on the same host, and uses it from then on', async () => {
      bench.server.intervene = (request, response) => {
        if (!request.url?.startsWith('/catalogue/')) return false;
        response.writeHead(301, { location: request.url.replace('/catalogue/', '/catalogue.git/') }).end();
        return true;
      };
      const source = await bench.source({ repository: `${bench.server.url}/catalogue` });
      expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/first']);
      bench.server.asked.length = 0;
      await bench.sync(source);
      expect(bench.server.asked.filter((line) => line.includes('/catalogue/'))).to.deep.equal([]);
    });

    const login = { username: 'reader', password: 'secret-word' };
    const ELSEWHERE = [
      'https://127.0.0.1/catalogue.git/',
      'file:///etc/',
      'ext::id',
      'git://127.0.0.1/catalogue.git/',
    ];
    for (const location of ELSEWHERE) {
      it(`reports a redirect to ${location}, and does not follow it`, async () => {
        bench.server.intervene = (request, response) => {
          response
            .writeHead(302, { location: `${location}${request.url?.split('/').slice(2).join('/')}` })
            .end();
          return true;
        };
        const fault = await faultOf(async () => bench.sync(await bench.source()));
        expect(fault.code).to.equal('ERR_SOURCE_REDIRECT');
      });
    }

    it('refuses a redirect to another host without contacting it or sending the password', async () => {
      const heard: string[] = [];
      const stranger = createServer((socket) => {
        socket.on('error', () => undefined).on('data', (data) => heard.push(data.toString()));
      }).listen(0, '127.0.0.1');
      await once(stranger, 'listening');
      // It listens, and not on a pipe.
      const { port } = stranger.address() as AddressInfo;
      try {
        bench.server.login = login;
        bench.server.intervene = (request, response) => {
          if (request.headers.authorization === undefined) return false;
          response.writeHead(307, { location: `http://127.0.0.1:${port}${request.url}` }).end();
          return true;
        };
        await writeFile(`${bench.folder}/password`, login.password);
        const auth = { username: 'reader', passwordFile: 'password' };
        const fault = await faultOf(async () => bench.sync(await bench.source({ auth })));
        expect(fault.code).to.equal('ERR_SOURCE_REDIRECT');
        expect(fault.message).to.include('another host');
        expect(heard).to.deep.equal([]);
      } finally {
        stranger.close();
      }
    });

    it('refuses a redirect loop', async () => {
      bench.server.intervene = (request, response) => {
        response.writeHead(302, { location: request.url }).end();
        return true;
      };
      expect((await faultOf(async () => bench.sync(await bench.source()))).code).to.equal(
        'ERR_SOURCE_REDIRECT',
      );
    });
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens, and not on a pipe.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
