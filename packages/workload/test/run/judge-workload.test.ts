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

const healthy = { answer: 'own', status: 'healthy', why: '' } as const;
const gone = { isSupervised: false } as const;

describe('judgeWorkload', () => {
  const cases: readonly {
    readonly title: string;
    readonly facts: WorkloadFacts;
    readonly status: WorkloadStatus;
    readonly says?: string;
  }[] = [
    {
      title: 'believes a proxy that answers',
      facts: facts('running', { health: healthy }),
      status: 'running',
    },
    {
      title: 'sees that a workload has recovered',
      facts: facts('unhealthy', { health: healthy }),
      status: 'running',
    },
    {
      title: 'says why a server is unhealthy',
      facts: facts('running', { health: { answer: 'own', status: 'unhealthy', why: 'no pong' } }),
      status: 'unhealthy',
      says: 'no pong',
    },
    {
      title: 'does not take another program at the port for the workload',
      facts: facts('running', { health: { answer: 'foreign' } }),
      status: 'unhealthy',
      says: 'another program',
    },
    {
      title: 'knows a supervisor whose proxy does not answer',
      facts: facts('running', { health: { answer: 'none', why: 'no answer within 1000 ms' } }),
      status: 'unhealthy',
      says: 'no answer within',
    },
    { title: 'leaves a starting one be', facts: facts('starting'), status: 'starting' },
    {
      title: 'knows an interrupted start',
      facts: facts('starting', gone),
      status: 'error',
      says: 'interrupted',
    },
    {
      title: 'knows a supervisor that was killed, its container running on',
      facts: facts('running', { ...gone, isContainerRunning: true }),
      status: 'unhealthy',
      says: 'its container still runs',
    },
    {
      title: 'knows what a reboot leaves',
      facts: facts('running', { ...gone, isContainerRunning: false }),
      status: 'unhealthy',
      says: 'so is its container',
    },
    {
      title: 'knows a remote one without supervisor',
      facts: facts('running', { ...gone, remote: true }),
      status: 'unhealthy',
    },
    {
      title: 'ends a stop that was interrupted',
      facts: facts('stopping', { ...gone, isContainerRunning: false }),
      status: 'stopped',
    },
    {
      title: 'shows a stop that left a container',
      facts: facts('stopping', { ...gone, isContainerRunning: true }),
      status: 'unhealthy',
    },
    { title: 'leaves what is stopped be', facts: facts('stopped', gone), status: 'stopped' },
    { title: 'leaves a failure be', facts: facts('error', gone), status: 'error' },
    {
      title: 'says what is wrong with a state that cannot be read, and that somebody runs',
      facts: { ...facts('running'), state: undefined, faults: ['it is cut'] },
      status: 'unknown',
      says: 'it is cut; its supervisor runs',
    },
    {
      title: 'adds what is wrong with the run config',
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
