import { once } from 'node:events';
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import {
  bootTestKernel,
  createTestContext,
  findConfigBlockProblems,
  leavesNothingOpen,
} from '@portolan/plugin-testing';
import { expect } from 'chai';
import Koa from 'koa';
import auditPlugin, { auditConfig, auditMiddleware } from '../src/index.ts';
import { accessRecord, readLines } from './access-record.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

type Kernel = Awaited<ReturnType<typeof bootTestKernel>>;

const DEFAULTS = {
  enabled: false,
  includeRequestData: false,
  includeClaimValues: false,
  maxDataSize: 1024,
  maxFileSize: 0,
};

describe('auditMiddleware', () => {
  const folder = useTemporaryFolder();
  let kernels: Kernel[];
  beforeEach(() => {
    kernels = [];
  });
  afterEach(() => Promise.all(kernels.map((kernel) => kernel.close())));

  async function boot(audit: Readonly<Record<string, unknown>>): Promise<Kernel> {
    const config = { middleware: { audit } };
    const kernel = await bootTestKernel({ plugins: [auditPlugin], config, directory: folder() });
    kernels.push(kernel);
    return kernel;
  }

  /** What stands in the log when everything is closed. */
  async function closeAndRead(kernel: Kernel, name = 'audit.log'): Promise<ReturnType<typeof readLines>> {
    await handlerOf(kernel).close?.();
    await kernel.close();
    return readLines(await readFile(join(folder(), name), 'utf8'));
  }

  function handlerOf(kernel: Kernel) {
    const [audit] = kernel.middleware;
    if (audit === undefined) throw new Error('there is no middleware');
    return audit.handler;
  }

  async function problemsOf(audit: Readonly<Record<string, unknown>>): Promise<string> {
    return await boot(audit).then(
      () => expect.fail('it was accepted'),
      (error: Error) => error.message,
    );
  }

  it('has a valid config block, and a place in the host', () => {
    expect(findConfigBlockProblems(auditConfig)).to.deep.equal([]);
    expect(auditMiddleware).to.deep.include({
      hosts: ['registry-server'],
      placed: { before: 'recordAccess' },
    });
  });

  it('writes each record once, in one line', async () => {
    await leavesNothingOpen(async () => {
      const kernel = await boot({ enabled: true, logFile: 'audit.log' });
      const statuses = [200, 304, 401, 403, 404, 409, 500];
      for (const status of statuses)
        kernel.hooks.accessDecided(accessRecord({ status, event: 'server.list' }));
      const lines = await closeAndRead(kernel);
      expect(lines.map(({ type, outcome }) => [type, outcome])).to.deep.equal([
        ['server.list', 'success'],
        ['server.list', 'success'],
        ['auth.unauthenticated', 'denied'],
        ['server.list', 'denied'],
        ['server.list', 'failure'],
        ['server.list', 'failure'],
        ['server.list', 'error'],
      ]);
      const ids = new Set(lines.map((line) => line['audit_id']));
      expect(ids.size).to.equal(statuses.length);
      for (const id of ids) expect(id).to.match(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
    });
  });

  for (const audit of [{}, { enabled: false, logFile: 'missing/audit.log', maxFiles: 3 }]) {
    it(`stays off with ${JSON.stringify(audit)}`, async () => {
      const kernel = await boot(audit);
      kernel.hooks.accessDecided(accessRecord());
      expect(handlerOf(kernel)).not.to.have.any.keys('reopen', 'close');
      await kernel.close();
      expect(await readdir(folder())).to.deep.equal([]);
    });
  }

  it('passes requests to the next middleware', async () => {
    for (const enabled of [true, false]) {
      const kernel = await boot({ enabled, logFile: 'audit.log' });
      const app = new Koa().use(handlerOf(kernel)).use((ctx) => {
        ctx.body = 'passed on';
      });
      const server = app.listen(0, '127.0.0.1');
      try {
        await once(server, 'listening');
        const address = server.address();
        const port = typeof address === 'object' ? address?.port : undefined;
        expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).to.equal('passed on');
      } finally {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    }
  });

  it('writes only the selected event types', async () => {
    const eventTypes = ['entry.publish', 'operation', 'server.list'];
    const kernel = await boot({
      enabled: true,
      logFile: 'audit.log',
      eventTypes,
      excludeEventTypes: ['server.list'],
    });
    for (const event of ['server.list', 'operation', 'user.info', 'entry.publish', undefined]) {
      kernel.hooks.accessDecided(accessRecord({ event }));
    }
    const lines = await closeAndRead(kernel);
    expect(lines.map(({ type }) => type)).to.deep.equal(['operation', 'entry.publish']);
  });

  it('writes the request body if configured, at most 1024 bytes when the limit is 0', async () => {
    const kernel = await boot({
      enabled: true,
      logFile: 'audit.log',
      includeRequestData: true,
      maxDataSize: 0,
    });
    const bodies = [{ claims: { team: 'Hu5h' }, token: 'Hu5h' }, { text: 'x'.repeat(2000) }];
    for (const body of bodies) {
      kernel.hooks.accessDecided(accessRecord({ requestBody: Buffer.from(JSON.stringify(body)) }));
    }
    const [first, second] = await closeAndRead(kernel);
    expect(first?.['data']).to.deep.equal({ claims: { team: '[claim]' }, token: '[secret]' });
    expect(second?.['data']).to.be.a('string').with.length(1024);
  });

  it('continues in a new file after a rename and reopen, as logrotate does', async () => {
    const kernel = await boot({ enabled: true, logFile: 'audit.log' });
    const told: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      for (let index = 0; index < 20; index += 1) {
        told.push(`r-${round}-${index}`);
        kernel.hooks.accessDecided(accessRecord({ requestId: `r-${round}-${index}` }));
        if (index === 10) await rename(join(folder(), 'audit.log'), join(folder(), `audit.log.${round}`));
        if (index === 15) await handlerOf(kernel).reopen?.();
      }
    }
    await closeAndRead(kernel);
    const texts = await Promise.all(
      [...Array(20).keys()]
        .map((round) => `audit.log.${round}`)
        .concat('audit.log')
        .map((name) => readFile(join(folder(), name), 'utf8')),
    );
    const ids = readLines(texts.join('')).map((line) => (line['metadata'] as { extra: object }).extra);
    expect(ids.map((extra) => Reflect.get(extra, 'request_id'))).to.deep.equal(told);
  });

  it('counts a record that cannot be formatted', async () => {
    const kernel = await boot({ enabled: true, logFile: 'audit.log' });
    kernel.hooks.accessDecided(accessRecord({ at: new Date(Number.NaN) }));
    kernel.hooks.accessDecided(accessRecord());
    const lines = await closeAndRead(kernel);
    expect(lines.map(({ type }) => type)).to.deep.equal(['audit.lost', 'entry.publish']);
  });

  describe('configuration check', () => {
    const refused = [
      { audit: { eventTypes: ['entry.publsh'] }, words: ['entry.publsh', 'did you mean "entry.publish"'] },
      {
        audit: { excludeEventTypes: ['servers.list'] },
        words: ['servers.list', 'did you mean "server.list"'],
      },
      { audit: { eventTypes: ['audit.lost'] }, words: ['audit.lost', 'expected'] },
      { audit: { eventTypes: [] }, words: ['an empty list'] },
      { audit: { maxDataSize: 1_048_577 }, words: ['a whole number from 0 to 1048576'] },
      { audit: { maxDataSize: -1 }, words: ['a whole number from 0 to 1048576'] },
      { audit: { logfile: 'x' }, words: ['did you mean "logFile"'] },
      {
        audit: { enabled: true, logFile: 'x', maxFiles: 2 },
        words: ['audit.maxFiles', '2 without maxFileSize'],
      },
      { audit: { enabled: true, maxFileSize: 2 }, words: ['audit.maxFileSize', '2 without logFile'] },
      { audit: { enabled: true, logFile: 'missing/x' }, words: ['audit.logFile', 'folder does not exist'] },
    ];
    for (const { audit, words } of refused) {
      it(JSON.stringify(audit), async () => {
        const problems = await problemsOf(audit);
        for (const word of words) expect(problems).to.include(word);
      });
    }

    it('reports all problems at once, with those of other plugins', async () => {
      const problems = await problemsOf({ enabled: true, logFile: 'missing/x', maxFiles: 2 });
      expect(problems)
        .to.include('2 problems')
        .and.to.include('audit.logFile')
        .and.to.include('audit.maxFiles');
    });

    it('refuses invalid rotation settings, also in a host without checks', async () => {
      const config = { ...DEFAULTS, enabled: true, maxFiles: 2 };
      const error = await Promise.resolve()
        .then(() => auditMiddleware.create(config, createTestContext()))
        .catch((reason: unknown) => reason);
      expect(error).to.include({
        code: 'ERR_AUDIT_FILE',
        message: 'In maxFiles, found 2 without maxFileSize; expected a maxFileSize above 0, or no value.',
      });
    });

    it('refuses a folder in place of the file', async () => {
      await mkdir(join(folder(), 'audit.log'));
      expect(await problemsOf({ enabled: true, logFile: 'audit.log' })).to.include('a folder');
    });
  });
});
