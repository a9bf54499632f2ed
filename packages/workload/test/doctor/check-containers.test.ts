import type { ContainerDescription, Labels, NetworkDescription, ContainerEngine } from '@portolan/plugin-api';
import { expect } from 'chai';
import { ownLabels, WORKLOAD_LABELS } from '../../src/state/workload-labels.ts';
import { checkContainers } from '../../src/doctor/check-containers.ts';
import { repairFindings } from '../../src/doctor/examine.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext, type TestWorkloadContext } from '../support/test-workload-context.ts';
import { keep } from './doctor-setup.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();
const HOUR_MS = 60 * 60 * 1000;

interface Engine
  extends Pick<ContainerEngine, 'listContainers' | 'listNetworks' | 'removeContainer' | 'removeNetwork'> {
  readonly removed: readonly string[];
}

/**
 * Returns an engine that lists these containers, with every label that a query asks for, and these networks.
 */
function engineWith(
  containers: readonly Partial<ContainerDescription>[],
  networks: readonly Labels[] = [],
): Engine {
  const removed: string[] = [];
  const remove = (id: string): Promise<void> => {
    removed.push(id);
    return Promise.resolve();
  };
  return {
    removed,
    listContainers: () => Promise.resolve(containers as readonly ContainerDescription[]),
    listNetworks: () =>
      Promise.resolve(
        networks.map((labels) => ({ id: 'network-1', name: 'notes-net', labels }) as NetworkDescription),
      ),
    removeContainer: remove,
    removeNetwork: remove,
  };
}

/** Returns the description of a container of a workload, created `agoMs` ago. */
function container(name: string, role: string, agoMs = 0): Partial<ContainerDescription> {
  const labels = { [WORKLOAD_LABELS.name]: name, [WORKLOAD_LABELS.role]: role };
  return {
    id: `${name}-${role}-id`,
    name: `${name}-${role}`,
    labels,
    createdAt: new Date(Date.now() - agoMs),
  };
}

async function open(engine: Engine): Promise<TestWorkloadContext> {
  const context = testWorkloadContext(await folders.make(), engine);
  await keep(context, 'notes', { status: 'running' });
  return context;
}

describe('checkContainers', () => {
  afterEach(() => folders.removeAll());

  it('asks the engine only for containers of this state folder', async () => {
    const asked: Labels[] = [];
    const engine = engineWith([]);
    const context = await open({
      ...engine,
      listContainers: (labels) => {
        asked.push(labels);
        return Promise.resolve([]);
      },
    });
    expect((await checkContainers(context, signal)).map(({ level }) => level)).to.deep.equal(['fine']);
    expect(asked).to.deep.equal([ownLabels(undefined, context.directories)]);
  });

  it('finds and removes containers and networks of removed workloads, gateways last', async () => {
    const engine = engineWith(
      [
        container('notes', 'server'),
        // listed first but removed last, because the other containers use its network
        container('gone', 'gateway'),
        container('gone', 'session'),
        container('gone', 'server'),
      ],
      [{ [WORKLOAD_LABELS.name]: 'gone' }],
    );
    const findings = await checkContainers(await open(engine), signal);
    expect(findings.map(({ level, found }) => [level, found.split(' ').slice(0, 2).join(' ')])).to.deep.equal(
      [
        ['problem', 'Container gone-session'],
        ['problem', 'Container gone-server'],
        ['problem', 'Container gone-gateway'],
        ['problem', 'Network notes-net'],
      ],
    );
    await repairFindings(findings, signal);
    expect(engine.removed).to.deep.equal([
      'gone-session-id',
      'gone-server-id',
      'gone-gateway-id',
      'network-1',
    ]);
  });

  it('finds containers of a stopped workload', async () => {
    const engine = engineWith([container('notes', 'session'), container('notes', 'gateway')]);
    const context = await open(engine);
    await context.store.change('notes', (state) => ({ ...state, status: 'stopped', supervisor: undefined }));
    const findings = await checkContainers(context, signal);
    expect(findings.map(({ level }) => level)).to.deep.equal(['problem', 'problem']);
    await repairFindings(findings, signal);
    expect(engine.removed).to.deep.equal(['notes-session-id', 'notes-gateway-id']);
  });

  it('ignores builds that may still run', async () => {
    const engine = engineWith([container('', 'build', HOUR_MS / 2), container('old', 'build', 2 * HOUR_MS)]);
    const findings = await checkContainers(await open(engine), signal);
    expect(findings.map(({ found }) => found)).to.deep.equal([
      'Container old-build belongs to a workload that was removed or does not run.',
    ]);
  });

  it('does not report a container whose workload starts while the engine is queried', async () => {
    const engine = engineWith([container('late', 'server')]);
    const context: TestWorkloadContext = await open({
      ...engine,
      listContainers: async (...asked) => {
        await keep(context, 'late', { status: 'starting' });
        return await engine.listContainers(...asked);
      },
    });
    expect((await checkContainers(context, signal)).map(({ level }) => level)).to.deep.equal(['fine']);
  });
});
