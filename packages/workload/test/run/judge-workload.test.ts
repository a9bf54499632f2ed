import { expect } from 'chai';
import { judgeWorkload, type WorkloadFacts } from '../../src/run/operations/list/judge-workload.ts';
import { newWorkloadState, type WorkloadStatus } from '../../src/state/workload-state.ts';

const facts = (status: WorkloadStatus, more: Partial<WorkloadFacts> = {}): WorkloadFacts => ({
  state: { ...newWorkloadState('weather', new Date(0)), status, statusContext: '' },
  faults: [],
  isSupervised: true,
  health: undefined,
  isContainerRunning: undefined,
  remote: false,
  ...more,
});

const healthy = { outcome: 'own', status: 'healthy', why: '' } as const;
const gone = { isSupervised: false } as const;

describe('judgeWorkload', () => {
  const cases: readonly {
    readonly title: string;
    readonly facts: WorkloadFacts;
    readonly status: WorkloadStatus;
    readonly says?: string;
  }[] = [
    {
      title: 'is running when the proxy responds',
      facts: facts('running', { health: healthy }),
      status: 'running',
    },
    {
      title: 'is running after a recovery',
      facts: facts('unhealthy', { health: healthy }),
      status: 'running',
    },
    {
      title: 'is unhealthy with the reason of the proxy',
      facts: facts('running', { health: { outcome: 'own', status: 'unhealthy', why: 'no pong' } }),
      status: 'unhealthy',
      says: 'no pong',
    },
    {
      title: 'is unhealthy when another program uses the port',
      facts: facts('running', { health: { outcome: 'foreign' } }),
      status: 'unhealthy',
      says: 'another program',
    },
    {
      title: 'is unhealthy when the proxy does not respond',
      facts: facts('running', { health: { outcome: 'none', why: 'no response within 1000 ms' } }),
      status: 'unhealthy',
      says: 'no response within',
    },
    { title: 'stays starting while the supervisor runs', facts: facts('starting'), status: 'starting' },
    {
      title: 'is error after an interrupted start',
      facts: facts('starting', gone),
      status: 'error',
      says: 'interrupted',
    },
    {
      title: 'is unhealthy when the supervisor is gone and its container runs',
      facts: facts('running', { ...gone, isContainerRunning: true }),
      status: 'unhealthy',
      says: 'its container still runs',
    },
    {
      title: 'is unhealthy when supervisor and container are gone',
      facts: facts('running', { ...gone, isContainerRunning: false }),
      status: 'unhealthy',
      says: 'so is its container',
    },
    {
      title: 'is unhealthy when the supervisor of a remote workload is gone',
      facts: facts('running', { ...gone, remote: true }),
      status: 'unhealthy',
    },
    {
      title: 'is stopped after an interrupted stop',
      facts: facts('stopping', { ...gone, isContainerRunning: false }),
      status: 'stopped',
    },
    {
      title: 'is unhealthy when an interrupted stop left a container',
      facts: facts('stopping', { ...gone, isContainerRunning: true }),
      status: 'unhealthy',
    },
    { title: 'stays stopped', facts: facts('stopped', gone), status: 'stopped' },
    { title: 'stays error', facts: facts('error', gone), status: 'error' },
    {
      title: 'is unknown with the fault of an unreadable state, and says that the supervisor runs',
      facts: { ...facts('running'), state: undefined, faults: ['it is cut'] },
      status: 'unknown',
      says: 'it is cut; its supervisor runs',
    },
    {
      title: 'adds the fault of the run config',
      facts: facts('running', { health: healthy, faults: ['its run configuration is missing'] }),
      status: 'running',
      says: 'is missing',
    },
  ];
  for (const { title, facts: given, status, says = '' } of cases) {
    it(title, () => {
      const judged = judgeWorkload(given);
      expect(judged.status).to.equal(status);
      expect(judged.context).to.include(says);
    });
  }
});
