import { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { examine, repairFindings } from '../../src/doctor/examine.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();
// With a proxy, the checks resolve no names.
const environment = { HTTPS_PROXY: 'http://proxy.acme.example:3128' };

describe('examine', () => {
  afterEach(() => folders.removeAll());

  it('reports a missing engine once, and runs the checks that need none', async () => {
    const context = { ...testWorkloadContext(await folders.make()), environment };
    const found = await examine(context, signal);
    expect([...new Set(found.map(({ check }) => check))]).to.deep.equal([
      'engine',
      'state',
      'ports',
      'names',
      'disk',
      'leftovers',
      'clients',
    ]);
    expect(found.filter(({ level }) => level === 'problem').map(({ found: text }) => text)).to.deep.equal([
      'No engine answers.',
    ]);
  });

  it('turns the error of a check into a problem', async () => {
    const context = testWorkloadContext(await folders.make(), {
      describe: () =>
        Promise.reject(new PortolanError('ERR_ENGINE', 'fault', 'It is odd.', { hint: 'Look at it.' })),
    });
    const [first] = await examine({ ...context, environment }, signal);
    expect(first).to.deep.equal({
      check: 'engine',
      level: 'problem',
      found: 'It is odd.',
      remedy: 'Look at it.',
    });
  });

  it('rejects when the signal aborts', async () => {
    const context = testWorkloadContext(await folders.make(), {
      describe: (asked) => Promise.reject(asked?.reason as Error),
    });
    const stopped = AbortSignal.abort(new Error('stopped'));
    const failed = await examine({ ...context, environment }, stopped).catch((error: unknown) => error);
    expect(String(failed)).to.equal('Error: stopped');
  });
});

describe('repairFindings', () => {
  const finding = { check: 'state', level: 'problem', found: 'Something.' } as const;

  it('continues after a failed repair, and returns the result of each', async () => {
    const done: string[] = [];
    const findings: readonly Finding[] = [
      { ...finding, repair: () => Promise.reject(new Error('it is in use')) },
      finding,
      {
        ...finding,
        repair: async () => {
          done.push('second');
        },
      },
    ];
    const examined = await repairFindings(findings, signal);
    expect(examined.map(({ repaired }) => repaired)).to.deep.equal(['it is in use', undefined, true]);
    expect(done).to.deep.equal(['second']);
  });

  it('rejects and stops when the signal aborts', async () => {
    const controller = new AbortController();
    let late = false;
    const findings: readonly Finding[] = [
      {
        ...finding,
        repair: (end) => {
          controller.abort(new Error('stopped'));
          return Promise.reject(end.reason as Error);
        },
      },
      {
        ...finding,
        repair: async () => {
          late = true;
        },
      },
    ];
    const failed = await repairFindings(findings, controller.signal).catch((error: unknown) => error);
    expect([String(failed), late]).to.deep.equal(['Error: stopped', false]);
  });
});
