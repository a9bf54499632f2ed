import { supervisorProgram } from '../../../packages/cli/src/supervisor/supervisor-program.ts';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ContainerEngine, Runtime } from '@portolan/plugin-api';
import { eventually, runtimeOfEngine } from '@portolan/plugin-testing';
import type { RunConfig } from '@portolan/run-spec';
import { logFilesOf, ownProcess } from '@portolan/workload';
import { describeWorkload } from '@portolan/workload/operations';
import { expect } from 'chai';
import { isAlive } from '../../../packages/workload/src/state/process-identity.ts';
import { SupervisorProcess } from '../../../packages/workload/src/supervisor/supervisor-process.ts';
import { IS_SOAK } from '../../support/soak.ts';
import { ask, httpServer, openSession, stdioServer } from './support/mini-servers.ts';
import { orderOf, useWorkloadBench } from './support/workload-bench.ts';
import { skipTest } from '../../support/skip-suite.ts';

const PROGRAM = supervisorProgram(path.join(import.meta.dirname, '../../../packages/cli'));
const SOON = { withinMs: 40_000 };
/** Times of health checks that suit a busy machine. */
const CHECKS = {
  PORTOLAN_HEALTH_CHECK_INTERVAL: '100ms',
  PORTOLAN_HEALTH_CHECK_PING_TIMEOUT: '2s',
  PORTOLAN_HEALTH_CHECK_RETRY_DELAY: '50ms',
  PORTOLAN_HEALTH_CHECK_FAILURE_THRESHOLD: '3',
};
const MEBIBYTE = 1024 * 1024;
/** Maximum growth of a supervisor's memory during a flood. */
const MAX_KEPT = 150 * MEBIBYTE;

describe('superviseWorkload with stdio servers', function () {
  this.timeout(240_000);
  const bench = useWorkloadBench();

  it('skips an oversized response, and returns 502 to its caller', async () => {
    const workload = await bench.supervise(await bench.config(stdioServer()));
    const { url } = await workload.ready;
    const session = await openSession(url);
    expect(await ask(url, 'long', { megabytes: 65 }, session)).to.equal(502);
    expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
    await workload.stop();
  });

  for (const stdio_sessions of ['own', 'shared'] as const) {
    it(`ends a process that closed its output and still runs: ${stdio_sessions}`, async () => {
      // With isolation, the host name would be that of its gateway.
      const config = await bench.config({ ...stdioServer(), stdio_sessions, isolate_network: false });
      const environment = { ...bench.environment, ...CHECKS };
      const workload = await bench.supervise(config, { context: { environment } });
      const { url } = await workload.ready;
      const session = await openSession(url);
      // SAFETY: the server returns this type.
      const { host } = (await ask(url, 'where', {}, session)) as { readonly host: string };
      await ask(url, 'mute', {}, session);
      await eventually(
        async () => expect(await bench.runtime.inspectContainer(host)).to.equal(undefined),
        SOON,
      );
      expect(await bench.readLog(config.name, 'server')).to.include('closes its output');
      expect(await ask(url, 'tools/list', {}, session)).to.equal(404);
      const next = await openSession(url);
      expect(await ask(url, 'tools/list', {}, next)).to.deep.equal({ tools: [] });
      await workload.stop();
    });
  }

  it('logs a hint when a tool cannot write, keeps its error, and ignores a message that only mentions EROFS', async () => {
    const mentions =
      'console.log("{\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"x\\",\\"params\\":\\"EROFS\\"}");';
    const workload = await bench.supervise(await bench.config(stdioServer(mentions)));
    const { url } = await workload.ready;
    const { name } = workload.config;
    const session = await openSession(url);
    const noticeOf = async (): Promise<string | undefined> =>
      (await bench.context().store.find(name))?.state?.notice;
    expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
    expect(await noticeOf()).to.equal('');
    const text = "EROFS: read-only file system, open '/kept'";
    const answer = { isError: true, content: [{ type: 'text', text }] };
    expect(await ask(url, 'tools/call', { name: 'keep' }, session)).to.deep.equal(answer);
    expect(await ask(url, 'tools/call', { name: 'keep' }, session)).to.deep.equal(answer);
    await eventually(async () => expect(await noticeOf()).to.include('may not write /kept'), SOON);
    const description = await describeWorkload(name, bench.context());
    expect(description).to.deep.include({ health: 'healthy', uptime: `${description.uptime_seconds}s` });
    expect(description.notice).to.include('-v ./data:/data');
    await eventually(async () => {
      const log = await bench.readLog(name, 'server');
      expect(log.match(/\[portolan: The server may not write \/kept/g)).to.have.length(1);
    }, SOON);
    await workload.stop();
  });

  it('exits in the foreground with the last process', async () => {
    const config = await bench.config(stdioServer());
    const workload = await bench.supervise(config, { order: { foreground: true } });
    const { url } = await workload.ready;
    const session = await openSession(url);
    await eventually(async () => expect(await bench.containers(config.name)).to.have.length(4), SOON);
    expect(await ask(url, 'exit', { code: 3 }, session)).to.equal(502);
    const next = await openSession(url);
    expect(await ask(url, 'tools/list', {}, next)).to.deep.equal({ tools: [] });
    expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
    expect(await bench.containers(config.name)).to.deep.equal([]);
  });

  for (const { title, fields } of [
    { title: 'a process for each session', fields: stdioServer() },
    { title: 'a server that speaks HTTP', fields: httpServer() },
  ]) {
    it(`works with a gateway whose sockets cannot be shared: ${title}`, async () => {
      const config = await bench.config(fields);
      const openRuntime = (): Promise<Runtime> =>
        Promise.resolve(runtimeOfEngine(sharingNoSockets(bench.runtime)));
      const kinds = { ...bench.context().kinds, openRuntime };
      const workload = await bench.supervise(config, { context: { kinds } });
      const { url } = await workload.ready;
      const session = config.transport === 'stdio' ? await openSession(url) : '';
      expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
      expect(await bench.containers(config.name)).to.deep.equal([]);
      expect(await bench.runtimeFiles()).to.deep.equal([]);
    });
  }

  for (const isolate_network of [true, false]) {
    const title = isolate_network ? 'isolated' : 'not isolated';
    it(`lets no session reach a listener of another session or take its port: ${title}`, async () => {
      const config = await bench.config({ ...stdioServer(), isolate_network });
      const workload = await bench.supervise(config);
      const { url } = await workload.ready;
      const [one, two] = [await openSession(url), await openSession(url)];
      expect(await ask(url, 'listen', { port: 4000, secret: 'of one' }, one)).to.equal('listening');
      expect(await ask(url, 'connect', { port: 4000 }, two)).to.equal('ECONNREFUSED');
      expect(await ask(url, 'listen', { port: 4000, secret: 'of two' }, two)).to.equal('listening');
      expect(await ask(url, 'connect', { port: 4000 }, one)).to.equal('of one');
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
      expect(await bench.containers(config.name)).to.deep.equal([]);
      expect(await bench.runtimeFiles()).to.deep.equal([]);
    });
  }

  it('hides paths of ignore files from every process', async () => {
    const folder = path.join(bench.environment['XDG_DATA_HOME'] ?? '', 'project');
    await mkdir(path.join(folder, 'secrets'), { recursive: true });
    await writeFile(path.join(folder, '.portolanignore'), 'secrets/\n.env\n');
    for (const file of ['secrets/key', '.env', 'open.txt']) await writeFile(path.join(folder, file), 'here');
    const says = `const fs = require("fs"); console.error("sees " + JSON.stringify([
      fs.readdirSync("/data/secrets"), fs.readFileSync("/data/.env", "utf8"), fs.readFileSync("/data/open.txt", "utf8")]));`;
    const config = await bench.config({
      ...stdioServer(says.replaceAll('\n', '')),
      permission_profile: { read: [`${folder}:/data`], network: { outbound: {} } },
    });
    const workload = await bench.supervise(config);
    const { url } = await workload.ready;
    await openSession(url);
    await eventually(async () => {
      const lines = (await bench.readLog(config.name, 'server')).split('\n');
      const seen = lines.filter((line) => line.includes('sees ')).map((line) => line.replace(/.*sees /, ''));
      expect(seen).to.have.length.above(1);
      expect(new Set(seen)).to.deep.equal(new Set(['[[],"","here"]']));
    }, SOON);
    await workload.stop();
  });

  describe('in a separate process', () => {
    async function launch(fields: Partial<RunConfig>) {
      const config = await bench.config(fields);
      await bench.context().store.claim(config, await ownProcess());
      const environment = { ...process.env, ...bench.environment };
      const launched = await new SupervisorProcess({ program: PROGRAM, environment }).launch(
        orderOf(config),
        {
          logFile: logFilesOf(config.name, bench.context().directories).supervisor,
          onReport: () => undefined,
          signal: new AbortController().signal,
        },
      );
      const { url } = await launched.ready;
      return {
        config,
        url,
        pid: launched.process.pid,
        hasEnded: async () => !(await isAlive(launched.process)),
      };
    }

    /** Returns the memory of the process and the size of its log files, in bytes. */
    async function taken(pid: number, name: string): Promise<{ memory: number; disk: number }> {
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
      const memory = Number(/Private_Dirty: +(\d+)/.exec(rollup)?.[1] ?? 0) * 1024;
      const files = Object.values(logFilesOf(name, bench.context().directories)).flatMap((file) => [
        file,
        `${file}.1`,
      ]);
      const sizes = await Promise.all(
        files.map((file) =>
          stat(file).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      );
      return { memory, disk: sizes.reduce((sum, size) => sum + size, 0) };
    }

    it('limits its memory and the disk space when a server floods standard output', async function () {
      if (process.platform !== 'linux') skipTest(this, 'only on Linux');
      const { config, url, pid, hasEnded } = await launch(stdioServer());
      const session = await openSession(url);
      const before = await taken(pid, config.name);
      ask(url, 'flood', {}, session).catch(() => undefined);
      let read = 0;
      // The test reads several times the limit, because the amount of garbage before a collection varies.
      await eventually(
        async () => {
          const io = await readFile(`/proc/${pid}/io`, 'utf8');
          read = Number(/rchar: (\d+)/.exec(io)?.[1] ?? 0);
          expect(read).to.be.greaterThan(MAX_KEPT * (IS_SOAK ? 10 : 4));
        },
        { withinMs: 150_000 },
      );
      const after = await taken(pid, config.name);
      expect(after.memory - before.memory, `memory, after ${read} bytes`).to.be.lessThan(MAX_KEPT);
      expect(after.disk - before.disk, 'disk').to.be.lessThan(2 * MEBIBYTE);
      const other = await openSession(url);
      expect(await ask(url, 'tools/list', {}, other)).to.deep.equal({ tools: [] });
      process.kill(pid, 'SIGTERM');
      await eventually(async () => expect(await hasEnded()).to.equal(true), SOON);
      expect(await bench.containers(config.name)).to.deep.equal([]);
    });

    for (const { title, fields, end } of [
      {
        title: 'when its container is removed',
        fields: httpServer(),
        end: async (containers: Readonly<Record<string, string>>) =>
          await bench.runtime.removeContainer(containers['server'] ?? ''),
      },
      {
        title: 'when its server keeps exiting',
        fields: { ...stdioServer(), stdio_sessions: 'shared' },
        end: async (_containers: Readonly<Record<string, string>>, url: string) => {
          for (let times = 0; times < 5; times += 1) {
            await eventually(
              async () => {
                const session = await openSession(url);
                expect(await ask(url, 'exit', { code: 1 }, session)).to.equal(502);
              },
              { withinMs: 30_000 },
            );
          }
        },
      },
    ]) {
      it(`leaves nothing ${title}`, async () => {
        const { config, url, hasEnded } = await launch(fields);
        const labels = { 'portolan.dev/name': config.name };
        const found = await bench.runtime.listContainers(labels);
        await end(
          Object.fromEntries(found.map((one) => [one.labels['portolan.dev/role'] ?? '', one.id])),
          url,
        );
        await eventually(async () => expect(await hasEnded()).to.equal(true), { withinMs: 30_000 });
        expect({
          containers: await bench.runtime.listContainers(labels),
          networks: await bench.runtime.listNetworks(labels),
          sockets: await bench.runtimeFiles(),
          answers: await fetch(url).then(
            () => true,
            () => false,
          ),
          supervisor: (await bench.context().store.find(config.name))?.state?.supervisor,
        }).to.deep.equal({
          containers: [],
          networks: [],
          sockets: [],
          answers: false,
          supervisor: undefined,
        });
      });
    }
  });
});

/** An engine like that of another machine: the connection to its gateway uses standard input and output. */
function sharingNoSockets(runtime: ContainerEngine): ContainerEngine {
  return new Proxy(runtime, {
    get(target, key) {
      if (key === 'describe') {
        return async () => ({ ...(await target.describe()), sharesSockets: false });
      }
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
