import path from 'node:path';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { countMembers, describeMembers } from '../../src/run/operations/list/describe-members.ts';
import { findToolMembers } from '../../src/run/operations/list/find-tool-members.ts';
import { keepListedTools } from '../../src/state/listed-tools.ts';
import { type MemberState, NEW_MEMBER } from '../../src/state/member-state.ts';
import { ownProcess } from '../../src/state/process-identity.ts';
import { newWorkloadState } from '../../src/state/workload-state.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const DESK = createRunConfig({
  name: 'desk',
  members: { github: { workload: 'gh' }, linear: { url: 'https://mcp.linear.example/mcp', prefix: false } },
});
const GROUP = createRunConfig({ name: 'all', member_group: 'work' });
const SEEN: MemberState = {
  ...NEW_MEMBER,
  status: 'failing',
  revision: '2025-11-25',
  tools: 3,
  lastError: 'timeout',
  findings: ['One name is hidden.'],
};

const stored = (config: RunConfig, members: Readonly<Record<string, MemberState>>) => ({
  config,
  state: { ...newWorkloadState(config.name, new Date(0)), members },
});

describe('describeMembers', () => {
  it('joins the settings of each member with its recorded state', () => {
    expect(describeMembers(stored(DESK, { linear: SEEN }), true)).to.deep.equal([
      {
        name: 'github',
        kind: 'workload',
        target: 'gh',
        status: 'unknown',
        revision: undefined,
        tools: undefined,
        last_error: undefined,
        findings: [],
      },
      {
        name: 'linear',
        kind: 'url',
        target: 'https://mcp.linear.example/mcp',
        status: 'failing',
        revision: '2025-11-25',
        tools: 3,
        last_error: 'timeout',
        findings: ['One name is hidden.'],
      },
    ]);
  });

  it('shows no recorded state of a virtual server that does not run', () => {
    const members = describeMembers(stored(DESK, { linear: SEEN }), false);
    expect(members?.map(({ status }) => status)).to.deep.equal(['unknown', 'unknown']);
  });

  it('takes the members of a group from the recorded states', () => {
    const members = describeMembers(stored(GROUP, { a: SEEN, b: NEW_MEMBER }), true);
    expect(members?.map(({ name, target }) => [name, target])).to.deep.equal([
      ['a', 'a'],
      ['b', 'b'],
    ]);
    expect(countMembers(stored(GROUP, { a: SEEN, b: NEW_MEMBER }))).to.equal(2);
  });

  it('returns nothing for another workload', () => {
    const single = stored(createRunConfig({ name: 'git', image: 'acme/git:1' }), {});
    expect(describeMembers(single, true)).to.equal(undefined);
    expect(countMembers(single)).to.equal(undefined);
    expect(countMembers(stored(DESK, {}))).to.equal(2);
  });
});

describe('findToolMembers', () => {
  const folders = new TemporaryFolders();
  afterEach(() => folders.removeAll());

  const find = async (exposed: readonly string[], recorded?: readonly string[], config = DESK) => {
    const context = testWorkloadContext(await folders.make());
    await context.store.claim(config, await ownProcess(), {
      imageDigest: '',
      mountPaths: {},
      replace: false,
    });
    if (recorded !== undefined)
      await keepListedTools(path.join(context.directories.policies, config.name), recorded);
    const members = await findToolMembers(config.name, exposed, context);
    return members && exposed.map((name) => `${members.get(name)?.member}/${members.get(name)?.ownName}`);
  };

  it('uses the recorded list, since an own name may begin with the prefix of another member', async () => {
    const exposed = ['github_a', 'github_b', 'find_tool'];
    expect(await find(exposed, ['github/a', 'linear/github_b'])).to.deep.equal([
      'github/a',
      'linear/github_b',
      'undefined/undefined',
    ]);
  });

  it('returns only members that a name can have one of, without a recorded list', async () => {
    expect(await find(['github_a', 'issues'])).to.deep.equal(['undefined/undefined', 'linear/issues']);
  });

  it('returns nothing for another workload', async () => {
    expect(await find(['a'], [], createRunConfig({ name: 'git', image: 'acme/git:1' }))).to.equal(undefined);
  });
});
