import { createServer } from 'node:net';
import { once } from 'node:events';
import { isPortolanError } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import type { SupervisorOrder, WorkloadContext } from '@portolan/workload';
import { expect } from 'chai';
import { httpServer, stdioServer } from './support/mini-servers.ts';
import { useWorkloadBench } from './support/workload-bench.ts';

interface Fault {
  readonly title: string;
  readonly fields: Partial<RunConfig>;
  readonly order?: Partial<SupervisorOrder>;
  readonly context?: Partial<WorkloadContext>;
  readonly code: string;
  readonly says?: string;
  readonly lastLine?: string;
}

const LEAVES = 'console.error("no key given"); process.exit(3);';
/** A shell program that prints its line long before the limit, also on a busy machine. */
const THINKS = ['sh', '-c', 'echo thinking >&2; exec sleep 600'];
const HOGS = 'const kept = []; for (;;) kept.push(Buffer.alloc(16 << 20, 1));';

const FAULTS: readonly Fault[] = [
  {
    title: 'a stdio server that exits at once',
    fields: stdioServer(LEAVES),
    code: 'ERR_SERVER_ENDED',
    says: 'exit status 3',
    lastLine: 'no key given',
  },
  {
    title: 'a program that is no server, prints a line and exits',
    fields: { ...stdioServer(), cmd_args: ['node', '-e', 'console.log("usage: notes FOLDER")'] },
    code: 'ERR_SERVER_ENDED',
    says: 'exit status 0',
    lastLine: 'usage: notes FOLDER',
  },
  {
    title: 'a shared server that exits at once',
    fields: { ...stdioServer(LEAVES), stdio_sessions: 'shared' },
    code: 'ERR_SERVER_ENDED',
    lastLine: 'no key given',
  },
  {
    title: 'a server that speaks HTTP and exits at once',
    fields: httpServer(LEAVES),
    code: 'ERR_SERVER_ENDED',
    says: 'exit status 3',
    lastLine: 'no key given',
  },
  {
    title: 'a stdio server that never responds',
    fields: { ...stdioServer(), cmd_args: THINKS },
    order: { startTimeoutMs: 4000 },
    code: 'ERR_SERVER_SILENT',
    says: 'within 4 s',
    lastLine: 'thinking',
  },
  {
    title: 'a server that speaks HTTP and never listens',
    fields: { ...httpServer(), cmd_args: THINKS },
    order: { startTimeoutMs: 4000 },
    code: 'ERR_SERVER_SILENT',
    lastLine: 'thinking',
  },
  {
    title: 'a server that runs out of memory',
    fields: httpServer(HOGS),
    code: 'ERR_SERVER_ENDED',
    says: 'ran out of memory',
  },
  {
    title: 'a program that does not exist',
    fields: { ...stdioServer(), cmd_args: ['/no/such/program'] },
    code: 'ERR_SERVER_ENDED',
    says: 'exit status 127',
  },
  {
    title: 'a folder that does not exist',
    fields: { ...stdioServer(), permission_profile: { read: ['/no/such/folder:/data'] } },
    code: 'ERR_MOUNT_MISSING',
    says: '/no/such/folder',
  },
  {
    title: 'a missing image',
    fields: { ...stdioServer(), image: 'portolan-test/no-such-image' },
    code: 'ERR_IMAGE_GONE',
  },
  {
    title: 'a plugin that weakens the container',
    fields: stdioServer(),
    context: {
      hooks: {
        containerStart: (spec, { harden, check }) => {
          const changed = { ...harden(spec), capabilities: ['SYS_ADMIN'] };
          check(changed, '@acme/opener');
          return Promise.resolve(changed);
        },
        containerExit: () => Promise.resolve(),
      },
    },
    code: 'ERR_HOOK_WEAKENS',
    says: 'The plugin @acme/opener gives the container',
  },
];

describe('superviseWorkload when the start fails', function () {
  this.timeout(180_000);
  const bench = useWorkloadBench();

  async function expectNothingLeft(name: string): Promise<void> {
    expect(await bench.containers(name)).to.deep.equal([]);
    expect(await bench.runtimeFiles()).to.deep.equal([]);
  }

  for (const { title, fields, order, context, code, says, lastLine } of FAULTS) {
    it(`reports ${title}, and leaves nothing`, async () => {
      const config = await bench.config(fields);
      const change = {
        ...(order === undefined ? {} : { order }),
        ...(context === undefined ? {} : { context }),
      };
      const workload = await bench.supervise(config, change);
      const error = await workload.ended.catch((reason: unknown) => reason);
      if (!isPortolanError(error)) throw new Error(`found ${String(error)}`);
      expect(error.code, error.message).to.equal(code);
      if (says !== undefined) expect(error.message).to.contain(says);
      const report = workload.reports.at(-1);
      if (report?.report !== 'failed') throw new Error('the failure was not reported');
      expect(report).to.include({ code, message: error.message });
      if (lastLine !== undefined) expect(report.lastLines).to.include(lastLine);
      const state = await bench.context().store.getState(config.name);
      expect(state).to.include({ status: 'error', statusContext: error.message });
      await expectNothingLeft(config.name);
    });
  }

  it('reports the last response of the server while it waits for readiness', async () => {
    const script =
      "require('http').createServer((q, r) => r.writeHead(503).end()).listen(8123, '127.0.0.1');";
    const fails = { ...httpServer(), cmd_args: ['node', '-e', script] };
    // The message comes after 2 s, and again 5 s later.
    const workload = await bench.supervise(await bench.config(fails), { order: { startTimeoutMs: 6000 } });
    const error = await workload.ended.catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'ERR_SERVER_SILENT' });
    const told = workload.reports.flatMap((report) => (report.report === 'step' ? [report.text] : []));
    expect(
      told.filter((text) =>
        text.startsWith('Waiting for the server to respond: it responded with status 503'),
      ),
    ).to.have.length(1);
  });

  it('retries a server that must write with a writable root', async () => {
    const writes = 'require("fs").writeFileSync("/written", "here");';
    for (const fields of [stdioServer(writes), httpServer(writes)]) {
      const config = await bench.config(fields);
      const workload = await bench.supervise(config);
      await workload.ready;
      const warnings = workload.reports.filter(({ report }) => report === 'warning');
      expect(JSON.stringify(warnings)).to.contain('writable');
      await workload.stop();
      expect((await bench.context().store.getState(config.name)).writableRoot).to.equal(true);
      const again = bench.superviseAgain(config);
      await again.ready;
      expect(again.reports.some(({ report }) => report === 'warning')).to.equal(false);
      await again.stop();
      await expectNothingLeft(config.name);
    }
  });

  it('refuses a port that is taken, and leaves no container', async () => {
    const taken = createServer();
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    try {
      const address = taken.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const workload = await bench.supervise(await bench.config({ ...httpServer(), port }));
      const error = await workload.ended.catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'ERR_PROXY_PORT_IN_USE' });
      await expectNothingLeft(workload.config.name);
    } finally {
      taken.close();
    }
  });

  it('refuses a name that another state folder uses on the engine, and keeps that workload', async () => {
    const config = await bench.config(stdioServer());
    const folder = '/home/other/.local/share/portolan/statuses';
    const id = await bench.runtime.createContainer({
      name: `${config.name}-other`,
      image: config.image,
      command: ['true'],
      environment: {},
      labels: {
        ...bench.labels,
        'portolan.dev/workload': 'true',
        'portolan.dev/name': config.name,
        'portolan.dev/role': 'server',
        'portolan.dev/state': 'another',
        'portolan.dev/state-folder': folder,
      },
    });
    try {
      const workload = await bench.supervise(config);
      const error = await workload.ended.catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'ERR_WORKLOAD_EXISTS' });
      expect(String(error)).to.contain(folder);
      expect(await bench.containers(config.name)).to.deep.equal([`${config.name}-other`]);
    } finally {
      await bench.runtime.removeContainer(id);
    }
  });

  for (const moment of ['gateway', 'container', 'proxy', 'server'] as const) {
    it(`leaves nothing when it is stopped at the step ${moment}`, async () => {
      const config = await bench.config(httpServer());
      const asked = Promise.withResolvers<void>();
      const workload = await bench.supervise(config, {
        heard: (one) => {
          if (one.report === 'step' && one.step === moment) asked.resolve();
        },
      });
      await asked.promise;
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
      expect(workload.reports.at(-1)).to.include({ report: 'failed', code: 'ERR_START_STOPPED' });
      await expectNothingLeft(config.name);
      expect(await bench.statusOf(config.name)).to.equal('stopped');
    });
  }
});
