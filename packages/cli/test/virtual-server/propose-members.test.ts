import { expect } from 'chai';
import { parseMembersFile } from '@portolan/run-spec/members-file';
import { formatMembersFile } from '../../src/virtual-server/format-members-file.ts';
import { proposeMembers } from '../../src/virtual-server/propose-members.ts';

type Workload = Parameters<typeof proposeMembers>[0][number];

const workload = (name: string, status: Workload['status'] = 'running', count?: number): Workload => ({
  name,
  status,
  member_count: count,
});

describe('proposeMembers', () => {
  const kept = ['running', 'starting', 'unhealthy', 'unauthenticated', 'auth_retrying', 'waiting'] as const;
  for (const status of kept) {
    it(`has a workload with the status ${status} as a member`, () => {
      expect(proposeMembers([workload('github', status)])).to.deep.equal({
        members: { github: { workload: 'github' } },
        leftOut: [],
      });
    });
  }

  const left: readonly (readonly [Workload, string])[] = [
    [workload('github', 'stopped'), 'it is stopped'],
    [workload('github', 'error'), 'its status is error'],
    [workload('github', 'removing'), 'its status is removing'],
    [workload('github', 'stopping'), 'its status is stopping'],
    [workload('github', 'unknown'), 'its status is unknown'],
    [workload('github', 'policy_stopped'), 'its status is policy_stopped'],
    [workload('desk', 'running', 2), 'it is a virtual server itself'],
    [workload('desk', 'stopped', 0), 'it is a virtual server itself'],
  ];
  for (const [one, because] of left) {
    it(`leaves out ${one.name} with ${one.status}, ${one.member_count ?? 'no'} members: ${because}`, () => {
      expect(proposeMembers([one])).to.deep.equal({ members: {}, leftOut: [{ name: one.name, because }] });
    });
  }

  it('sorts members by name', () => {
    const { members } = proposeMembers([workload('b'), workload('c'), workload('a')]);
    expect(Object.keys(members)).to.deep.equal(['a', 'b', 'c']);
  });
});

describe('formatMembersFile', () => {
  const names = [
    'github',
    'a.b',
    '1password',
    '123',
    'true',
    'No',
    'null',
    'y',
    '1e3',
    '1.5',
    'a_b-c',
    '0x1f',
  ];
  it('writes a file that `run --members` reads, for unusual names too', () => {
    const { members } = proposeMembers(names.map((name) => workload(name)));
    const text = formatMembersFile({ members });
    const read = parseMembersFile(text, 'desk.yaml');
    expect(read.members).to.deep.equal(members);
    expect(Object.values(read.members).map(({ workload: name }) => name)).to.have.members(names);
  });

  it('has one line for each member', () => {
    const { members } = proposeMembers([workload('weather'), workload('github')]);
    expect(formatMembersFile({ members })).to.equal(
      [
        '# Run it: portolan run --members FILE',
        'members:',
        '  github: { workload: github }',
        '  weather: { workload: weather }',
      ].join('\n'),
    );
  });
});
