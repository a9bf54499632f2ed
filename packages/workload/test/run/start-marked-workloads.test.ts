import { PortolanError } from '@portolan/plugin-api';
import { createRunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import {
  startMarkedWorkloads,
  type StartWantedOptions,
} from '../../src/run/operations/start-marked-workloads.ts';
import { ownProcess, type ProcessIdentity } from '../../src/state/process-identity.ts';
import type { WorkloadStatus } from '../../src/state/workload-state.ts';
import { type TestWorkloadContext, testWorkloadContext } from '../support/test-workload-context.ts';

const GONE: ProcessIdentity = { pid: 2 ** 22 + 1, started: 'before' };

describe('startMarkedWorkloads', () => {
  const folders = new TemporaryFolders();
  let context: TestWorkloadContext;
  let told: unknown[];
  beforeEach(async () => {
    context = testWorkloadContext(await folders.make());
    told = [];
  });
  afterEach(() => folders.removeAll());

  const quiet = (): void => undefined;
  const options = (more: Partial<StartWantedOptions> = {}): StartWantedOptions => ({
    observerOf: () => ({ step: quiet, image: quiet, warn: quiet, note: quiet, ready: quiet }),
    program: [],
    detachEarly: false,
    foreground: false,
    startTimeoutMs: 1000,
    engineTimeoutMs: 0,
    onWait: (why) => told.push(why),
    ...more,
  });
  const start = (
    given: Parameters<typeof startMarkedWorkloads>[0],
    more: Partial<StartWantedOptions> = {},
  ): ReturnType<typeof startMarkedWorkloads> =>
    startMarkedWorkloads(given, options(more), new AbortController().signal);

  async function keep(
    name: string,
    status: WorkloadStatus,
    wanted: boolean,
    supervisor: ProcessIdentity | undefined,
  ): Promise<void> {
    await context.store.claim(createRunConfig({ name, image: 'acme/notes:1' }), await ownProcess());
    await context.store.change(name, (state) => ({ ...state, status, wanted, supervisor }));
  }

  it('opens no engine when no workload has to start', async () => {
    await keep('by-hand', 'stopped', false, undefined);
    await keep('runs', 'running', true, await ownProcess());
    await keep('leaves', 'removing', true, GONE);
    expect(await start(context)).to.deep.equal([]);
    expect(context.opened.runtimes).to.equal(0);
  });

  it("throws the engine's error when it stays unavailable until the timeout", async () => {
    await keep('killed', 'running', true, GONE);
    expect(await caught(() => start(context))).to.have.property('code', 'ERR_RUNTIME_UNREACHABLE');
    expect(told).to.deep.equal([]);
  });

  it('waits for the engine, and starts all workloads marked as wanted that were killed, ended or failed', async () => {
    await keep('killed', 'running', true, GONE);
    await keep('ended', 'stopped', true, undefined);
    await keep('failed', 'error', true, undefined);
    await keep('by-hand', 'stopped', false, undefined);
    const none = async (): Promise<never> => {
      throw new PortolanError('ERR_IMAGE_NOT_FOUND', 'absent', 'There is no such image.');
    };
    const { kinds } = testWorkloadContext(context.home, { inspectImage: none, provideImage: none });
    let asked = 0;
    const openRuntime = async (): ReturnType<typeof kinds.openRuntime> => {
      asked += 1;
      return await (asked === 1 ? context.kinds : kinds).openRuntime();
    };
    const late = { ...context, kinds: { ...kinds, openRuntime } };
    const results = await start(late, { engineTimeoutMs: 30_000 });
    expect(results.map(({ name }) => name).toSorted()).to.deep.equal(['ended', 'failed', 'killed']);
    for (const { error } of results) expect(error).to.have.property('code', 'ERR_IMAGE_GONE');
    expect(told).to.have.length(1);
    expect((await context.store.find('ended'))?.state).to.include({ status: 'stopped', wanted: true });
  });
});
