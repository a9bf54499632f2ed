import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { createRecordingLogger, eventually, type RecordingLogger } from '@portolan/plugin-testing';
import { createRunConfig, type Members } from '@portolan/run-spec';
import type { VirtualServer } from '@portolan/virtual-server';
import { expect } from 'chai';
import { TemporaryFolders } from '../../../../../test/support/temporary-folders.ts';
import { changeMembers } from '../../../src/run/members/change-members.ts';
import type { MemberTable } from '../../../src/supervisor/members/member-table.ts';
import { MembersWatch } from '../../../src/supervisor/members/members-watch.ts';
import { Lifecycle } from '../../../src/supervisor/process/lifecycle.ts';
import { Notices } from '../../../src/supervisor/process/notices.ts';
import type { Supervision } from '../../../src/supervisor/supervision.ts';
import { ownProcess } from '../../../src/state/process-identity.ts';
import type { WorkloadState } from '../../../src/state/workload-state.ts';
import type { WorkloadContext } from '../../../src/workload-context.ts';
import { testWorkloadContext } from '../../support/test-workload-context.ts';

const UNAPPLIED = /have no effect until/;

describe('MembersWatch', function () {
  this.timeout(20_000);
  const folders = new TemporaryFolders();
  const watches: MembersWatch[] = [];
  let file: string;
  let logger: RecordingLogger;
  let state: WorkloadState;
  /** Members of each replacement, in order. */
  let replaced: Members[];
  let lifecycle: Lifecycle;

  beforeEach(async () => {
    const folder = await folders.make();
    file = path.join(folder, 'desk.json');
    logger = createRecordingLogger();
    replaced = [];
    lifecycle = new Lifecycle();
    const context: WorkloadContext = { ...testWorkloadContext(folder), logger };
    const members = { one: { workload: 'one' } };
    const config = createRunConfig({ name: 'desk', members_file: file, members });
    state = await context.store.claim(config, await ownProcess());
    await write({ name: 'desk', members });
    const record = {
      note: (change: (now: WorkloadState) => WorkloadState) => {
        state = change(state);
      },
    };
    // SAFETY: a test that uses another part fails.
    const work = {
      config,
      context,
      changeMembers,
      lifecycle,
      notices: new Notices(record),
    } as Partial<Supervision>;
    const table = {
      replace: async (next: Members) => {
        replaced.push(next);
        return { sources: [], begin: () => undefined };
      },
      look: async () => false,
      sources: [],
    } as Partial<MemberTable>;
    const virtual = { replaceMembers: async () => undefined } as Partial<VirtualServer>;
    const watch = new MembersWatch(work as Supervision, {
      table: table as MemberTable,
      virtual: virtual as VirtualServer,
      members,
      record: () => undefined,
    });
    watches.push(watch);
    watch.open();
    // The watch reads the file as it is at the start.
    await pass(200);
  });
  afterEach(async () => {
    await Promise.all(watches.splice(0).map((watch) => watch.close()));
    await folders.removeAll();
  });

  async function write(document: object): Promise<void> {
    await writeFile(file, JSON.stringify(document));
  }

  const unapplied = (): readonly unknown[] =>
    logger.lines
      .filter(({ message }) => UNAPPLIED.test(message))
      .map(({ fields }) => Object(fields).settings);

  it('members file › logs once that name and group need a new run when the file changes them', async () => {
    const members = { one: { workload: 'one' } };
    await write({ name: 'other', group: 'team', members });
    await eventually(() => expect(unapplied()).to.deep.equal([['name', 'group']]));
    await write({ name: 'other', group: 'team', members: { ...members, two: { workload: 'two' } } });
    await eventually(() => expect(replaced.map((one) => Object.keys(one))).to.deep.equal([['one', 'two']]));
    expect(unapplied()).to.have.lengthOf(1);
  });

  it('members file › changes nothing and sets a notice when it is broken, until it is valid again', async () => {
    await writeFile(file, '{ "members": ');
    await eventually(() => expect(state.notice).to.include('desk.json was not applied'));
    expect(replaced).to.deep.equal([]);
    await write({ name: 'desk', members: { two: { workload: 'two' } } });
    await eventually(() => expect(replaced).to.deep.equal([{ two: { workload: 'two' } }]));
    expect(state.notice).to.equal('');
    expect(unapplied()).to.deep.equal([]);
  });

  it('members file › applies nothing when the virtual server has ended', async () => {
    lifecycle.finish({ how: 'stopped' });
    await write({ name: 'desk', members: { two: { workload: 'two' } } });
    await pass(800);
    expect(replaced).to.deep.equal([]);
  });
});
