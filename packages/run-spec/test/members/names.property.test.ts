import { expect } from 'chai';
import fc from 'fast-check';
import { exposedNameOf, findNameFault, ownNamesOf } from '../../src/members/exposed-name.ts';
import { findConflicts, type ListedMember } from '../../src/members/find-conflicts.ts';
import type { NameSettings } from '../../src/members/member.ts';

/** Few letters, so that names meet. */
const word = fc.stringMatching(/^[ab_.]{1,4}$/);
const settings: fc.Arbitrary<NameSettings> = fc.record(
  {
    prefix: fc.oneof(fc.constant(false as const), word),
    tools: fc.array(word, { maxLength: 4 }),
    override: fc.dictionary(word, fc.record({ name: word }, { requiredKeys: [] }), { maxKeys: 3 }),
  },
  { requiredKeys: [] },
);
const members: fc.Arbitrary<readonly ListedMember[]> = fc.uniqueArray(
  fc.record({ member: word, settings, ownNames: fc.uniqueArray(word, { maxLength: 5 }) }),
  { minLength: 1, maxLength: 6, selector: ({ member }) => member },
);

/** Returns the tool of each name that clients see. */
function exposedBy(all: readonly ListedMember[]): ReadonlyMap<string, string> {
  const hidden = new Set(findConflicts(all).map(({ name }) => name));
  const seen = all.flatMap(({ member, settings: { tools, ...names }, ownNames }) =>
    ownNames
      .filter((own) => tools === undefined || tools.includes(own))
      .map((own) => [exposedNameOf({ member, settings: names }, own), `${member}/${own}`] as const)
      .filter(([name]) => !hidden.has(name) && findNameFault(name) === undefined),
  );
  const byName = new Map(seen);
  expect(byName.size, 'one tool for each name').to.equal(seen.length);
  return byName;
}

describe('names of members', () => {
  it('never remap when a member is removed or added', () => {
    fc.assert(
      fc.property(members, fc.nat(), (all, at) => {
        const before = exposedBy(all);
        const after = exposedBy(all.toSpliced(at % all.length, 1));
        for (const [name, tool] of after) {
          if (before.has(name)) expect(before.get(name)).to.equal(tool);
        }
      }),
    );
  });

  it('do not depend on the order of the members', () => {
    fc.assert(
      fc.property(members, (all) => {
        expect([...exposedBy(all)]).to.have.deep.members([...exposedBy(all.toReversed())]);
      }),
    );
  });

  it('lead back to the own name', () => {
    fc.assert(
      fc.property(word, settings, word, (member, names, own) => {
        const exposed = exposedNameOf({ member, settings: names }, own);
        expect(ownNamesOf({ member, settings: names }, exposed)).to.include(own);
      }),
    );
  });

  it('are those of no other own name', () => {
    fc.assert(
      fc.property(word, settings, word, (member, names, exposed) => {
        for (const own of ownNamesOf({ member, settings: names }, exposed)) {
          expect(exposedNameOf({ member, settings: names }, own)).to.equal(exposed);
        }
      }),
    );
  });
});
