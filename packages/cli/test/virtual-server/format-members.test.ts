import {
  type MemberDescription,
  type PlannedVirtualServer,
  type WorkloadContext,
  workloadUnknown,
} from '@portolan/workload';
import { createRunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { findLogName } from '../../src/virtual-server/find-log-name.ts';
import { formatMembers } from '../../src/virtual-server/format-members.ts';
import { formatMembersPlan } from '../../src/virtual-server/format-members-plan.ts';
import { caught } from '../../../../test/support/caught.ts';

const GITHUB: MemberDescription = {
  name: 'github',
  kind: 'workload',
  target: 'gh',
  status: 'available',
  revision: '2025-11-25',
  tools: 12,
  last_error: undefined,
  findings: [],
};

describe('formatMembers', () => {
  it('shows each member, then errors and findings', () => {
    const linear = {
      ...GITHUB,
      name: 'linear',
      kind: 'url',
      target: 'https://mcp.linear.example/mcp',
      status: 'unauthenticated',
      revision: undefined,
      tools: undefined,
      last_error: 'HTTP 401\u001B[2J',
      findings: ['One name is hidden.'],
    } as const;
    expect(formatMembers([GITHUB, linear])).to.deep.equal([
      'MEMBER  STATUS           TOOLS  REVISION    SERVER',
      'github  available        12     2025-11-25  workload gh',
      'linear  unauthenticated  -      -           url https://mcp.linear.example/mcp',
      'linear: last error: HTTP 401',
      'linear: One name is hidden.',
    ]);
  });

  it('says that there are no members', () => {
    expect(formatMembers([])).to.deep.equal(['Members: none']);
  });
});

describe('formatMembersPlan', () => {
  const plan: PlannedVirtualServer = {
    members: [
      {
        name: 'github',
        kind: 'workload',
        target: 'gh',
        resolved: 'running at http://127.0.0.1:1/mcp',
        tools_from: 'workload',
        tools: 1,
        plan: undefined,
      },
      {
        name: 'linear',
        kind: 'url',
        target: 'https://mcp.linear.example/mcp',
        resolved: 'remote server',
        tools_from: undefined,
        tools: undefined,
        plan: undefined,
      },
    ],
    names: [
      { name: 'github_x', member: 'github', own_name: 'x', hidden: undefined, is_long: false },
      { name: `github_${'y'.repeat(60)}`, member: 'github', own_name: 'y', hidden: 'why', is_long: true },
    ],
    conflicts: [{ name: 'z', tools: ['a/z', 'b/z'], resolution: 'Set another name.' }],
    list: { tools: 1, tokens: 40, unknown: ['linear'], has_search: undefined },
  };

  it('has sections for members, names, conflicts, long names and the list', () => {
    const sections = new Map(formatMembersPlan(plan));
    expect(sections.get('members')).to.deep.equal([
      'github  workload gh                         running at http://127.0.0.1:1/mcp  1 tool, listed now',
      'linear  url https://mcp.linear.example/mcp  remote server                      tools are unknown',
    ]);
    expect(sections.get('names')?.[0]).to.match(/^github_x +github\/x$/);
    expect(sections.get('names')?.[1]).to.match(/ github\/y +hidden: why$/);
    expect(sections.get('conflicts')).to.deep.equal([
      'a/z and b/z have the name z; both are hidden. Set another name.',
    ]);
    expect(sections.get('long names')?.join()).to.include('has 67 characters');
    expect(sections.get('list')).to.deep.equal([
      '1 known tool; those of running workloads are about 40 tokens',
      'not in the tokens: linear',
      'tool search: unknown, because some tools are',
    ]);
  });
});

describe('findLogName', () => {
  const desk = createRunConfig({
    name: 'desk',
    members: {
      github: { workload: 'gh' },
      weather: { run: 'acme/weather:1' },
      linear: { url: 'https://mcp.linear.example/mcp' },
    },
  });
  const configs = [desk, createRunConfig({ name: 'gh', image: 'acme/gh:1' })];
  const context = {
    store: {
      find: (name: string) => {
        const config = configs.find((one) => one.name === name);
        return Promise.resolve(
          config && { name, config, state: undefined, supervisor: undefined, faults: [] },
        );
      },
      unknown: (name: string) => Promise.resolve(workloadUnknown(name)),
    },
    // The function needs nothing else of the store.
  } as unknown as Pick<WorkloadContext, 'store'>;

  const names: readonly (readonly [workload: string, member: string | undefined, name: string])[] = [
    ['gh', undefined, 'gh'],
    ['desk', 'github', 'gh'],
    ['desk', 'weather', 'desk/weather'],
  ];
  for (const [workload, member, name] of names) {
    it(`returns ${name} for ${workload} and ${member ?? 'no member'}`, async () => {
      expect(await findLogName(workload, member, context)).to.equal(name);
    });
  }

  const faults: readonly (readonly [workload: string, member: string | undefined, found: RegExp])[] = [
    ['desk', undefined, /is a virtual server.*one of github, weather, linear/],
    ['desk', 'githb', /no member of desk; did you mean github\?/],
    ['desk', 'linear', /a remote server, which has no log/],
    ['gh', 'x', /gh is no virtual server/],
    ['no', undefined, /There is no workload named "no"/],
  ];
  for (const [workload, member, found] of faults) {
    it(`refuses ${workload} with ${member ?? 'no member'}`, async () => {
      expect(await caught(() => findLogName(workload, member, context)))
        .to.have.property('message')
        .that.matches(found);
    });
  }
});
