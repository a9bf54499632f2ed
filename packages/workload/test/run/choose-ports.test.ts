import { expect } from 'chai';
import { createRunConfig } from '@portolan/run-spec';
import {
  chooseFreePort,
  chooseProxyPort,
  reservedPorts,
  type PortsRequest,
} from '../../src/run/steps/choose-ports.ts';
import type { StoredWorkload } from '../../src/state/workload-store.ts';
import { caught } from '../../../../test/support/caught.ts';

const stored = (name: string, port: number, publish: readonly string[] = []): StoredWorkload => ({
  name,
  state: undefined,
  config: createRunConfig({ name, port, publish }),
  supervisor: undefined,
  faults: [],
});

describe('chooseProxyPort', () => {
  const request = (more: Partial<PortsRequest>): PortsRequest => ({
    host: '127.0.0.1',
    proxyPort: undefined,
    workloads: [],
    replaced: undefined,
    isFree: () => Promise.resolve(true),
    ...more,
  });
  const flag = { value: 8123, from: 'flag', by: '--proxy-port' } as const;
  const entry = { value: 8123, from: 'registry', by: 'proxy_port of the entry' } as const;
  const cases: readonly {
    readonly title: string;
    readonly more: Partial<PortsRequest>;
    readonly by: string;
  }[] = [
    { title: 'returns the requested port', more: { proxyPort: flag }, by: '--proxy-port' },
    {
      title: 'returns the port of the registry entry',
      more: { proxyPort: entry },
      by: 'proxy_port of the entry',
    },
    {
      title: 'returns another port than the entry when a stopped workload keeps that port',
      more: { proxyPort: entry, workloads: [stored('other', 8123)] },
      by: 'a free port',
    },
    {
      title: 'keeps the port of the replaced workload, although it is in use',
      more: {
        replaced: createRunConfig({ name: 'a', port: 9001 }),
        workloads: [stored('a', 9001)],
        isFree: (port) => Promise.resolve(port !== 9001),
      },
      by: 'the port of the workload that it replaces',
    },
    {
      title: 'returns the requested port of the replaced workload, although it is in use',
      more: {
        proxyPort: flag,
        replaced: createRunConfig({ name: 'a', port: 8123 }),
        isFree: () => Promise.resolve(false),
      },
      by: '--proxy-port',
    },
    { title: 'returns a free port by default', more: {}, by: 'a free port' },
  ];
  for (const { title, more, by } of cases) {
    it(title, async () => {
      expect(await chooseProxyPort(request(more))).to.have.property('by', by);
    });
  }

  it('rejects a requested port that is in use', async () => {
    const taken = request({ proxyPort: flag, isFree: () => Promise.resolve(false) });
    expect(await caught(() => chooseProxyPort(taken))).to.have.property('code', 'ERR_PORT_TAKEN');
  });
});

describe('chooseFreePort', () => {
  it('never returns the port of the proxy or of a workload', async () => {
    expect(await chooseFreePort([stored('a', 20_000)], 20_001)).to.not.be.oneOf([20_000, 20_001]);
  });
});

describe('reservedPorts', () => {
  it('returns proxy ports and published ports, without those that the engine chooses', () => {
    const workloads = [stored('a', 9001, ['8080:80', '90']), { ...stored('b', 1), config: undefined }];
    expect([...reservedPorts(workloads)]).to.deep.equal([9001, 8080]);
  });
});
