import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { findMemberEntries, removeMemberEntries } from '../../src/clients/member-entries.ts';
import { registerClient } from '../../src/clients/register-clients.ts';
import { createGroup } from '../../src/groups/groups.ts';
import type { WorkloadContext } from '../../src/workload-context.ts';
import { keepContext, runningWorkload } from '../support/keep-context.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();
const CURSOR = '.cursor/mcp.json';

describe('findMemberEntries and removeMemberEntries', () => {
  let context: WorkloadContext;
  beforeEach(async () => {
    context = keepContext(await folders.make());
    for (const name of ['github', 'weather', 'notes']) await runningWorkload(context, name);
  });
  afterEach(() => folders.removeAll());

  const desk = async (fields: Partial<RunConfig>): Promise<void> => {
    await runningWorkload(context, 'desk', { image: '', ...fields });
    await registerClient('cursor', 'default', context);
  };
  const members = {
    gh: { workload: 'github' },
    w: { workload: 'weather' },
    own: { run: 'acme/x:1' },
    gone: { workload: 'no-such' },
  };
  const entriesOf = async (): Promise<readonly string[]> => {
    const text = await readFile(path.join(context.home, CURSOR), 'utf8');
    return Object.keys((JSON.parse(text) as { mcpServers: object }).mcpServers).toSorted();
  };

  it('remove the entries of workloads that a virtual server serves, and no other', async () => {
    await desk({ members });
    const entries = await findMemberEntries('cursor', 'default', context);
    expect(entries).to.deep.equal([{ virtualServer: 'desk', members: ['github', 'weather'] }]);
    expect(await removeMemberEntries('cursor', entries, context)).to.deep.equal([]);
    expect(await entriesOf()).to.deep.equal(['desk', 'notes']);
    expect(await findMemberEntries('cursor', 'default', context)).to.deep.equal([]);
  });

  it('find the workloads of a group, without the virtual server itself', async () => {
    await desk({ member_group: 'default' });
    expect(await findMemberEntries('cursor', 'default', context)).to.deep.equal([
      { virtualServer: 'desk', members: ['github', 'notes', 'weather'] },
    ]);
  });

  it('leave out entries that the user wrote', async () => {
    const file = path.join(context.home, CURSOR);
    await mkdir(path.dirname(file));
    await writeFile(file, '{"mcpServers":{"github":{"command":"my-own-server"}}}');
    await desk({ members });
    expect(await findMemberEntries('cursor', 'default', context)).to.deep.equal([
      { virtualServer: 'desk', members: ['weather'] },
    ]);
  });

  it('return nothing for a client or a group without the virtual server', async () => {
    await createGroup('trial', context);
    await desk({ members });
    expect(await findMemberEntries('codex', 'default', context)).to.deep.equal([]);
    expect(await findMemberEntries('cursor', 'trial', context)).to.deep.equal([]);
  });
});
