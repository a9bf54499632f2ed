import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ContainerEngine } from '@portolan/plugin-api';
import { expect } from 'chai';
import { checkState } from '../../src/doctor/check-state.ts';
import { repairFindings } from '../../src/doctor/examine.ts';
import { ownProcess } from '../../src/state/process-identity.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext, type TestWorkloadContext } from '../support/test-workload-context.ts';
import { GONE, keep } from './doctor-setup.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();

const emptyEngine: Partial<ContainerEngine> = {
  listContainers: () => Promise.resolve([]),
  listNetworks: () => Promise.resolve([]),
};

async function open(runtime?: Partial<ContainerEngine>): Promise<TestWorkloadContext> {
  return testWorkloadContext(await folders.make(), runtime);
}

describe('checkState', () => {
  afterEach(() => folders.removeAll());

  it('finds nothing without workloads, or when all states are correct', async () => {
    const context = await open();
    expect(await checkState(context)).to.deep.equal([
      { check: 'state', level: 'fine', found: 'The state of 0 workloads is correct.' },
    ]);
    await keep(context, 'stopped', { status: 'stopped' });
    await keep(context, 'running', { status: 'running', supervisor: await ownProcess() });
    expect((await checkState(context)).map(({ found }) => found)).to.deep.equal([
      'The state of 2 workloads is correct.',
    ]);
  });

  it('finds a workload whose supervisor is gone, and marks it as stopped', async () => {
    const context = await open(emptyEngine);
    await keep(context, 'notes', { status: 'running', supervisor: GONE });
    const findings = await checkState(context);
    expect(findings.map(({ level, found }) => [level, found])).to.deep.equal([
      ['problem', 'Workload notes has the status running, but its supervisor is gone.'],
    ]);
    expect((await repairFindings(findings, signal)).map(({ repaired }) => repaired)).to.deep.equal([true]);
    expect((await context.store.getState('notes')).status).to.equal('stopped');
    expect((await checkState(context)).map(({ level }) => level)).to.deep.equal(['fine']);
  });

  it('finds unreadable state files, and renames them', async () => {
    const context = await open();
    await keep(context, 'notes', { status: 'stopped' });
    const file = path.join(context.directories.statuses, 'notes.json');
    await writeFile(file, '{"status": "runn');
    const findings = await checkState(context);
    expect(findings.map(({ level }) => level)).to.deep.equal(['problem']);
    expect(findings[0]?.found).to.match(/^Workload notes: /);
    expect((await repairFindings(findings, signal)).map(({ repaired }) => repaired)).to.deep.equal([true]);
    const left = await readdir(context.directories.statuses);
    expect(left).not.to.include('notes.json');
    expect(left.filter((name) => name.startsWith('notes.json'))).to.have.lengthOf(1);
  });
});
