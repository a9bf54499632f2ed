import { expect } from 'chai';
import { exposedNameOf, findNameFault, ownNamesOf } from '../../src/members/exposed-name.ts';
import {
  findConflicts,
  findSettledConflicts,
  type ListedMember,
  resolutionOf,
} from '../../src/members/find-conflicts.ts';

/** Returns the tool of each visible name; a name of a conflict is hidden. */
function exposedBy(members: readonly ListedMember[]): ReadonlyMap<string, string> {
  const hidden = new Set(findConflicts(members).map(({ name }) => name));
  return new Map(
    members.flatMap(({ member, settings, ownNames }) =>
      ownNames
        .map((own) => [exposedNameOf({ member, settings }, own), `${member}/${own}`] as const)
        .filter(([name]) => !hidden.has(name) && findNameFault(name) === undefined),
    ),
  );
}

describe('findConflicts', () => {
  it('findConflicts › returns every pair of three members, in their order', () => {
    const listed = ['a', 'b', 'c'].map((member) => ({
      member,
      settings: { prefix: false as const },
      ownNames: ['search'],
    }));
    expect(findConflicts(listed)).to.deep.equal([
      { name: 'search', one: { member: 'a', ownName: 'search' }, other: { member: 'b', ownName: 'search' } },
      { name: 'search', one: { member: 'a', ownName: 'search' }, other: { member: 'c', ownName: 'search' } },
      { name: 'search', one: { member: 'b', ownName: 'search' }, other: { member: 'c', ownName: 'search' } },
    ]);
  });

  it('findConflicts › finds a conflict of a member name with an underscore', () => {
    const [conflict] = findConflicts([
      { member: 'a', settings: {}, ownNames: ['b_c'] },
      { member: 'a_b', settings: {}, ownNames: ['c'] },
    ]);
    expect(conflict?.name).to.equal('a_b_c');
    expect(conflict && resolutionOf(conflict)).to.include('members.a_b.override');
  });

  it('findConflicts › leaves out tools that are not listed, and counts a repeated name once', () => {
    expect(
      findConflicts([
        { member: 'a', settings: { prefix: false, tools: ['x'] }, ownNames: ['x', 'x', 'y'] },
        { member: 'b', settings: { prefix: false }, ownNames: ['y'] },
      ]),
    ).to.deep.equal([]);
  });

  it('findConflicts › finds two tools of one member', () => {
    const settings = { override: { x: { name: 'm_y' } } };
    expect(findConflicts([{ member: 'm', settings, ownNames: ['x', 'y'] }])).to.have.lengthOf(1);
  });
});

describe('findSettledConflicts', () => {
  it('findSettledConflicts › finds names of tools and overrides, and equal prefixes', () => {
    const { names, prefixes } = findSettledConflicts({
      a: { workload: 'a', tools: ['x'], prefix: false },
      b: { workload: 'b', override: { q: { name: 'x' } } },
      c: { workload: 'c', prefix: 'b' },
      d: { workload: 'd', prefix: false },
      e: { workload: 'e', prefix: false },
    });
    expect(names.map(({ name, one, other }) => [name, one.member, other.member])).to.deep.equal([
      ['x', 'a', 'b'],
    ]);
    expect(prefixes).to.deep.equal([{ prefix: 'b_', one: 'b', other: 'c' }]);
  });

  it('findSettledConflicts › accepts a common prefix of members that name all of their tools', () => {
    const { names, prefixes } = findSettledConflicts({
      a: { workload: 'a', prefix: 'x', tools: ['one'] },
      b: { workload: 'b', prefix: 'x', tools: ['two'] },
    });
    expect([...names, ...prefixes]).to.deep.equal([]);
  });
});

describe('names of 200 combinations', () => {
  const MEMBERS = ['a', 'a_b', 'b', 'github', 'x.y'];
  const OWN = ['b_c', 'c', 'search', 'a_b_c', 'b'];
  const SETTINGS = [
    {},
    { prefix: false as const },
    { prefix: 'a' },
    { prefix: 'a.' },
    { override: { c: { name: 'a_b_c' } } },
    { override: { search: { name: 'b_c' } }, prefix: false as const },
    { override: { b: { name: 'search' } }, prefix: 'b' },
    { override: { b_c: { name: 'c' }, c: { name: 'b_c' } } },
  ];
  const combinations = MEMBERS.flatMap((member) =>
    SETTINGS.flatMap((settings, index) =>
      OWN.map((own) => ({ member: `${member}-${index}`, settings, own })),
    ),
  );

  it('has 200 combinations', () => {
    expect(combinations).to.have.lengthOf(200);
  });

  for (const isDistinct of [true, false]) {
    it(`gives each exposed name to one tool, or hides all of its tools, with ${isDistinct ? 'distinct' : 'similar'} members`, () => {
      const byMember = Map.groupBy(combinations, ({ member }) =>
        isDistinct ? member : member.replace(/-\d$/, ''),
      );
      // Similar members have the same names, so that names without a prefix and with a common prefix conflict.
      const listed = [...byMember].flatMap(([member, all]) =>
        [...Map.groupBy(all, ({ settings }) => settings)].map(([settings, tools]) => ({
          member,
          settings,
          ownNames: tools.map(({ own }) => own),
        })),
      );
      const claims = listed.flatMap(({ member, settings, ownNames }, index) =>
        ownNames.map((own) => ({ name: exposedNameOf({ member, settings }, own), of: `${index} ${own}` })),
      );
      const byName = Map.groupBy(claims, ({ name }) => name);
      const exposed = exposedBy(listed);
      const wrong = [...byName].filter(([name, all]) => exposed.has(name) !== (all.length === 1));
      expect(wrong).to.deep.equal([]);
      expect(exposed.size).to.be.greaterThan(0);
      expect(findConflicts(listed).length).to.be.greaterThan(0);
    });
  }

  it('finds the own name again for each combination', () => {
    for (const { member, settings, own } of combinations) {
      expect(ownNamesOf({ member, settings }, exposedNameOf({ member, settings }, own))).to.include(own);
    }
  });
});
