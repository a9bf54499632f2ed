import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import type { ProvideImageOptions, ContainerEngine, Runtime } from '@portolan/plugin-api';
import { eventually, runtimeOfEngine } from '@portolan/plugin-testing';
import type { RunObserver, RunOptions, RunOutcome, WorkloadContext } from '@portolan/workload';
import { exportWorkload, pruneLogs, removeWorkloads, stopWorkloads } from '@portolan/workload/operations';
import { listWorkloads } from '@portolan/workload/list';
import { runWorkload, startWorkloads } from '@portolan/workload/run';
import { type RunRequest } from '@portolan/run-spec';
import { expect } from 'chai';
import { caught } from '../../support/caught.ts';
import { NODE_IMAGE, useWorkloadBench } from '../supervise/support/workload-bench.ts';

const SUPERVISOR = path.resolve(import.meta.dirname, '../../../packages/cli/bin/portolan-supervisor.js');

const SERVER = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } }
    : method === 'tools/list' ? { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } : {};
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
})`;
const SILENT = 'setInterval(() => {}, 1000)';

describe('workload functions with a real engine', function () {
  this.timeout(120_000);
  const bench = useWorkloadBench();
  let names = 0;
  let context: WorkloadContext;
  const { signal } = new AbortController();

  before(() => {
    const environment = {
      PATH: process.env['PATH'],
      HOME: homedir(),
      DOCKER_HOST: process.env['DOCKER_HOST'],
      ...bench.environment,
    };
    const { kinds } = bench.context();
    const openRuntime = (): Promise<Runtime> => Promise.resolve(runtimeOfEngine(withoutPulls(bench.runtime)));
    context = bench.context({ environment, kinds: { ...kinds, openRuntime } });
  });
  afterEach(async () => {
    const left = (await context.store.list()).map(({ name }) => name);
    await removeWorkloads(left, context, signal);
    const own = { 'portolan.dev/state-folder': context.directories.statuses };
    expect(await bench.runtime.listContainers(own)).to.deep.equal([]);
    expect(await bench.runtime.listNetworks(own)).to.deep.equal([]);
    expect(await bench.runtimeFiles()).to.deep.equal([]);
    expect(await stateFiles()).to.deep.equal([]);
  });

  const observer: RunObserver = {
    step: () => undefined,
    image: () => undefined,
    warn: () => undefined,
    note: () => undefined,
    ready: () => undefined,
  };
  const options = (more: Partial<RunOptions> = {}): RunOptions => ({
    observer,
    program: [process.execPath, SUPERVISOR],
    replace: false,
    detachEarly: false,
    foreground: false,
    startTimeoutMs: 30_000,
    ...more,
  });
  const starting = (restart: boolean): Parameters<typeof startWorkloads>[2] => {
    const { program, startTimeoutMs } = options();
    return {
      program,
      startTimeoutMs,
      detachEarly: false,
      foreground: false,
      restart,
      observerOf: () => observer,
    };
  };
  const request = (script = SERVER, name = nextName()): RunRequest => ({
    target: NODE_IMAGE,
    args: ['node', '-e', script],
    flags: {
      name,
      labels: [`trial.example/run=${bench.run}`],
      imageVerification: 'disabled',
      permissionProfile: 'none',
    },
  });
  const nextName = (): string => {
    names += 1;
    return `run-${bench.run}-${names}`;
  };
  const stateFiles = async (): Promise<readonly string[]> => {
    const { runConfigs, statuses, logs } = context.directories;
    const lists = await Promise.all(
      [runConfigs, statuses, logs].map((folder) => readdir(folder).catch(() => [])),
    );
    return lists.flat();
  };
  const statusOf = async (name: string): Promise<string | undefined> => {
    const { workloads } = await listWorkloads(context, { all: true });
    return workloads.find((workload) => workload.name === name)?.status;
  };

  describe('runWorkload, when another program takes the chosen port before the proxy listens', () => {
    const others: Server[] = [];
    const ports: number[] = [];

    /** Takes the port that the run has chosen each time, at most `times` times. */
    function takingPorts(name: string, times: number): RunOptions {
      ports.length = 0;
      return options({
        observer: {
          ...observer,
          step: (_step, text) => {
            if (text !== `Starting ${name}` || ports.length >= times) return;
            const [file = ''] = readdirSync(context.directories.runConfigs);
            const { port } = JSON.parse(
              readFileSync(path.join(context.directories.runConfigs, file), 'utf8'),
            ) as { readonly port: number };
            ports.push(port);
            others.push(createServer().listen(port, '127.0.0.1'));
          },
        },
      });
    }

    afterEach(async () => {
      await Promise.all(others.splice(0).map(async (server) => await once(server.close(), 'close')));
    });

    it('chooses another free port', async () => {
      const started = request();
      const outcome = await runWorkload(started, context, takingPorts(started.flags.name ?? '', 1), signal);
      expect(outcome).to.include({ outcome: 'ready' });
      const { config } = await context.store.getConfig(started.flags.name ?? '');
      expect(ports).to.have.length(1).and.not.to.include(config.port);
      expect(outcome).to.have.property('url').that.includes(`:${config.port}/`);
    });

    it('fails after three ports', async () => {
      const started = request();
      const taking = takingPorts(started.flags.name ?? '', 10);
      const error = await caught(() => runWorkload(started, context, taking, signal));
      expect(error).to.have.property('code', 'ERR_PROXY_PORT_IN_USE');
      expect(new Set(ports)).to.have.property('size', 3);
    });
  });

  it('run, list, stop, start, start again and remove a workload', async () => {
    const outcome = ready(await runWorkload(request(), context, options(), signal));
    const { name, url } = outcome;
    expect(await toolsAt(url)).to.deep.equal(['echo']);
    expect(await statusOf(name)).to.equal('running');
    const { imageDigest } = await context.store.getState(name);
    expect(imageDigest).to.equal((await bench.runtime.inspectImage(NODE_IMAGE))?.id);
    const [stopped] = await stopWorkloads([name], context, {}, signal);
    expect(stopped).to.include({ changed: true, error: undefined });
    expect(await containersOf(name)).to.deep.equal([]);
    expect((await listWorkloads(context)).workloads).to.deep.equal([]);
    expect(await statusOf(name)).to.equal('stopped');
    const [started] = await startWorkloads([name], context, starting(false), signal);
    expect(started).to.include({ changed: true, url });
    expect(await toolsAt(url)).to.deep.equal(['echo']);
    const [left] = await startWorkloads([name], context, starting(false), signal);
    expect(left).to.include({ changed: false, url });
    const before = (await context.store.getState(name)).instance;
    const [again] = await startWorkloads([name], context, starting(true), signal);
    expect(again).to.include({ changed: true, url });
    expect((await context.store.getState(name)).instance).not.to.equal(before);
    const [removed] = await removeWorkloads([name], context, signal);
    expect(removed).to.include({ changed: true, error: undefined });
    expect(removed?.notes).to.deep.equal([]);
    expect(await containersOf(name)).to.deep.equal([]);
  });

  it('run an exported workload with the same result', async () => {
    const { name } = await runWorkload(request(), context, options(), signal);
    const { file } = await exportWorkload(name, 'one.json', 'json', context);
    const first = await readFile(file, 'utf8');
    await removeWorkloads([name], context, signal);
    const again: RunRequest = { target: undefined, fromConfig: file, args: [], flags: {} };
    const outcome = ready(await runWorkload(again, context, options(), signal));
    expect(await toolsAt(outcome.url)).to.deep.equal(['echo']);
    await exportWorkload(name, 'two.json', 'json', context);
    expect(await readFile(path.join(path.dirname(file), 'two.json'), 'utf8')).to.equal(first);
  });

  it('let one of two runs with one name win', async () => {
    const both = request();
    const results = await Promise.allSettled([1, 2].map(() => runWorkload(both, context, options(), signal)));
    const codes = results.map((result) => (result.status === 'fulfilled' ? 'won' : codeOf(result.reason)));
    expect(codes).to.have.members(['ERR_WORKLOAD_EXISTS', 'won']);
    expect(await statusOf(both.flags.name ?? '')).to.equal('running');
  });

  it('leave nothing after an abort while the server does not respond', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped by SIGINT');
    const silent = request(SILENT);
    const running = runWorkload(silent, context, options(), stop.signal).catch((error: unknown) => error);
    await eventually(
      async () => expect(await containersOf(silent.flags.name)).to.have.length.greaterThan(1),
      { withinMs: 30_000 },
    );
    stop.abort(reason);
    expect(await running).to.equal(reason);
    expect(await containersOf(silent.flags.name)).to.deep.equal([]);
    expect(await stateFiles()).to.deep.equal([]);
  });

  it('leave nothing when the container ends at once, and report its output', async () => {
    const failing = request("console.error('no key'); process.exit(3)");
    const error: unknown = await runWorkload(failing, context, options(), signal).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).to.include('exit status 3').and.include('no key');
    expect(await containersOf(failing.flags.name)).to.deep.equal([]);
    expect(await stateFiles()).to.deep.equal([]);
  });

  it('remove a workload during its start', async () => {
    const silent = request(SILENT);
    const name = silent.flags.name ?? '';
    const running = runWorkload(silent, context, options(), signal).catch((error: unknown) => error);
    await eventually(async () => expect(await containersOf(name)).to.have.length.greaterThan(1), {
      withinMs: 30_000,
    });
    const [removed] = await removeWorkloads([name], context, signal);
    expect(removed?.error).to.equal(undefined);
    expect(codeOf(await running)).to.equal('ERR_START_STOPPED');
    expect(await containersOf(name)).to.deep.equal([]);
    expect(await stateFiles()).to.deep.equal([]);
  });

  const damages = [
    { title: 'is truncated', text: '{"format": 1, "na' },
    { title: 'has a later format', text: '{"format": 99}' },
  ];
  for (const { title, text } of damages) {
    it(`report that the state of a workload ${title}, and remove it completely`, async () => {
      const { name } = await runWorkload(request(), context, options(), signal);
      const { supervisor } = await context.store.getState(name);
      await writeFile(path.join(context.directories.statuses, `${name}.json`), text);
      expect(await statusOf(name)).to.equal('unknown');
      const [removed] = await removeWorkloads([name], context, signal);
      expect(removed).to.include({ changed: true, error: undefined });
      // The process is a child of this one, which has to reap it.
      await eventually(async () => expect(() => process.kill(supervisor?.pid ?? 0, 0)).to.throw('ESRCH'));
      expect(await containersOf(name)).to.deep.equal([]);
      expect(await stateFiles()).to.deep.equal([]);
    });
  }

  it('report that the supervisor of a workload was killed, and start it again', async () => {
    const { name, url } = ready(await runWorkload(request(), context, options(), signal));
    const { supervisor } = await context.store.getState(name);
    process.kill(supervisor?.pid ?? 0, 'SIGKILL');
    await eventually(async () => expect(await statusOf(name)).to.equal('unhealthy'), { withinMs: 40_000 });
    const [started] = await startWorkloads([name], context, starting(false), signal);
    expect(started).to.include({ changed: true, url, error: undefined });
    expect(await toolsAt(url)).to.deep.equal(['echo']);
  });

  it('keep a workload as stopped when its container is removed outside of Portolan', async () => {
    const shared = request();
    const { name } = await runWorkload(
      { ...shared, flags: { ...shared.flags, stdioSessions: 'shared' } },
      context,
      options(),
      signal,
    );
    for (const { id } of await bench.runtime.listContainers({
      'portolan.dev/name': name,
      'portolan.dev/role': 'server',
    })) {
      await bench.runtime.removeContainer(id);
    }
    await eventually(async () => expect(await statusOf(name)).to.equal('stopped'), { withinMs: 40_000 });
    await eventually(async () => expect(await containersOf(name)).to.deep.equal([]), { withinMs: 40_000 });
    const [removed] = await removeWorkloads([name], context, signal);
    expect(removed?.error).to.equal(undefined);
    expect(await statusOf(name)).to.equal(undefined);
    await pruneLogs(context);
  });

  async function containersOf(name: string | undefined): Promise<readonly string[]> {
    const found = await bench.runtime.listContainers({ 'portolan.dev/name': name ?? '' });
    return found.map((container) => container.name);
  }
});

/** The test image has a moving tag, and no test sends a request to a registry for it. */
function withoutPulls(runtime: ContainerEngine): ContainerEngine {
  return new Proxy(runtime, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (key === 'provideImage') {
        return (reference: string, more: ProvideImageOptions) =>
          target.provideImage(reference, { ...more, pull: 'missing' });
      }
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

function ready(outcome: RunOutcome): Extract<RunOutcome, { outcome: 'ready' }> {
  if (outcome.outcome !== 'ready') throw new Error(`the outcome is ${outcome.outcome}`);
  return outcome;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}

async function toolsAt(url: string): Promise<readonly string[]> {
  const post = async (
    id: number | undefined,
    method: string,
    params: object,
    session?: string,
  ): Promise<Response> =>
    await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params }),
    });
  const hello = await post(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  await hello.text();
  const session = hello.headers.get('mcp-session-id') ?? undefined;
  await (await post(undefined, 'notifications/initialized', {}, session)).text();
  const text = await (await post(2, 'tools/list', {}, session)).text();
  return [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => String(name));
}
