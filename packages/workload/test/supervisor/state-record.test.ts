import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { newWorkloadState, type WorkloadState } from '../../src/state/workload-state.ts';
import { StateRecord } from '../../src/supervisor/process/state-record.ts';

const OWN = { pid: 7, started: 'today' };

class MemoryStore {
  state: WorkloadState = { ...newWorkloadState('notes', new Date(0)), supervisor: OWN };
  fails = false;

  async change(_name: string, change: (state: WorkloadState) => WorkloadState): Promise<WorkloadState> {
    await Promise.resolve();
    if (this.fails) throw new Error('no space left on device');
    this.state = change(this.state);
    return this.state;
  }
}

describe('StateRecord', () => {
  function open(): { readonly store: MemoryStore; readonly record: StateRecord } {
    const store = new MemoryStore();
    return { store, record: new StateRecord(store, 'notes', OWN, createRecordingLogger()) };
  }

  it('masks secrets in what it writes', async () => {
    const store = new MemoryStore();
    const mask = (text: string): string => text.replaceAll('hunter2', '[secret]');
    const record = new StateRecord(store, 'notes', OWN, createRecordingLogger(), mask);
    await record.change((state) => ({ ...state, statusContext: 'no argument hunter2' }));
    expect(store.state.statusContext).to.equal('no argument [secret]');
  });

  it('takeOver › replaces the earlier supervisor', async () => {
    const { store, record } = open();
    store.state = { ...store.state, supervisor: { pid: 1, started: 'before' } };
    await record.takeOver((state) => ({ ...state, instance: 'one' }));
    expect(store.state).to.deep.include({ supervisor: OWN, instance: 'one' });
  });

  it('writes changes in order, including those during a write', async () => {
    const { store, record } = open();
    record.note((state) => ({ ...state, status: 'stopping' }));
    record.note((state) => ({ ...state, status: 'stopped' }));
    await Promise.resolve();
    record.note((state) => ({ ...state, statusContext: 'last' }));
    await record.close();
    expect(store.state).to.include({ status: 'stopped', statusContext: 'last' });
  });

  it('retries changes that a full disk prevented', async () => {
    const { store, record } = open();
    store.fails = true;
    record.note((state) => ({ ...state, status: 'unhealthy' }));
    await record.change((state) => state).catch(() => undefined);
    store.fails = false;
    record.note((state) => ({ ...state, statusContext: 'later' }));
    await record.close();
    expect(store.state).to.include({ status: 'unhealthy', statusContext: 'later' });
  });

  for (const { title, change } of [
    { title: 'another supervisor runs', change: { supervisor: { pid: 8, started: 'later' } } },
    { title: 'is being removed', change: { status: 'removing' as const } },
  ]) {
    it(`writes nothing to a workload that ${title}`, async () => {
      const { store, record } = open();
      store.state = { ...store.state, ...change };
      const before = store.state;
      record.note((state) => ({ ...state, status: 'stopped' }));
      await record.close();
      expect(store.state).to.deep.equal(before);
    });
  }
});
