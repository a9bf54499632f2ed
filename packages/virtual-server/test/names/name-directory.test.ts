import { expect } from 'chai';
import fc from 'fast-check';
import { NameDirectory } from '../../src/names/name-directory.ts';
import type { NameSettings } from '@portolan/run-spec';

interface FakeMember {
  readonly name: string;
  readonly settings: NameSettings;
  readonly own: readonly string[];
}

const MEMBERS: readonly FakeMember[] = [
  { name: 'a', settings: {}, own: ['x', 'b_x', 'y'] },
  { name: 'a_b', settings: {}, own: ['x', 'z'] },
  { name: 'c', settings: { prefix: false }, own: ['x', 'a_x', 'find'] },
  { name: 'd', settings: { prefix: 'a' }, own: ['x', 'q'] },
  { name: 'e', settings: { override: { x: { name: 'a_y' } } }, own: ['x', 'w'] },
  { name: 'f', settings: { prefix: false }, own: ['find', 'w w', ''] },
];

function directoryOf(members: readonly FakeMember[], reserved: readonly string[] = []): NameDirectory {
  const directory = new NameDirectory(reserved);
  directory.replaceMembers(members);
  return directory;
}

function exposeAll(directory: NameDirectory, members: readonly FakeMember[]): ReadonlyMap<string, string> {
  for (const { name, own } of members) for (const one of own) directory.expose(name, one);
  const shown = new Map<string, string>();
  for (const { name, own } of members)
    for (const one of own) {
      const exposed = directory.expose(name, one);
      if (exposed === undefined) continue;
      expect(shown.has(exposed), exposed).to.equal(false);
      shown.set(exposed, `${name}/${one}`);
    }
  return shown;
}

describe('names of members', () => {
  it('NameDirectory › resolves a name of two prefixes when the list of one member lacks it', () => {
    const known = new Set<string>();
    const directory = new NameDirectory([], (member) => known.has(member));
    const members = MEMBERS.filter(({ name }) => name === 'a' || name === 'a_b');
    directory.replaceMembers(members);
    expect(directory.resolve('a_b_z')).to.equal(undefined);
    known.add('a');
    expect(directory.resolve('a_b_z')).to.deep.equal({ member: 'a_b', own: 'z' });
    known.clear();
    // The other member lists it later: both are hidden, and the name never gets another meaning.
    expect(directory.expose('a', 'b_z')).to.equal(undefined);
    expect(directory.resolve('a_b_z')).to.equal(undefined);
    expect(directory.expose('a_b', 'z')).to.equal(undefined);
  });

  it('NameDirectory › never gives a name to another tool when members come and go', () => {
    const subset = fc.subarray([...MEMBERS]);
    fc.assert(
      fc.property(fc.array(subset, { minLength: 1, maxLength: 6 }), (steps) => {
        const directory = new NameDirectory([]);
        const meaning = new Map<string, string>();
        for (const members of steps) {
          directory.replaceMembers(members);
          for (const [exposed, item] of exposeAll(directory, members)) {
            expect(meaning.get(exposed) ?? item, exposed).to.equal(item);
            meaning.set(exposed, item);
            expect(directory.resolve(exposed)).to.deep.equal({
              member: item.slice(0, item.indexOf('/')),
              own: item.slice(item.indexOf('/') + 1),
            });
          }
        }
      }),
    );
  });

  it('NameDirectory › hides both tools, and says so at both members, when they have one name', () => {
    const members = [
      { name: 'a', settings: { prefix: false as const }, own: ['x'] },
      { name: 'b', settings: { prefix: false as const }, own: ['x', 'y'] },
    ];
    const directory = directoryOf(members);
    const before = directory.epoch;
    expect([...exposeAll(directory, members).keys()]).to.deep.equal(['y']);
    expect(directory.epoch).to.be.above(before);
    expect(directory.resolve('x')).to.equal(undefined);
    const finding = 'Both "a/x" and "b/x" have the name "x", so both are hidden. Set "override" of one.';
    expect(directory.findingsOf('a')).to.deep.equal([finding]);
    expect(directory.findingsOf('b')).to.deep.equal([finding]);
  });

  it('NameDirectory › shows a tool again after its member has got an override', () => {
    const own = ['x'];
    const first = [
      { name: 'a', settings: { prefix: false as const }, own },
      { name: 'b', settings: { prefix: false as const }, own },
    ];
    const directory = directoryOf(first);
    exposeAll(directory, first);
    const second = [
      { name: 'a', settings: { prefix: false as const, override: { x: { name: 'ax' } } }, own },
      { name: 'b', settings: { prefix: false as const }, own },
    ];
    directory.replaceMembers(second);
    expect([...exposeAll(directory, second)]).to.deep.equal([
      ['ax', 'a/x'],
      ['x', 'b/x'],
    ]);
  });

  it('NameDirectory › hides names that are reserved, malformed or too long, with the reason', () => {
    const members = [
      {
        name: 'a',
        settings: { prefix: false as const },
        own: ['find_tool', 'a b', 'ünï', 'x'.repeat(129), 'ok'],
      },
    ];
    const directory = directoryOf(members, ['find_tool']);
    expect([...exposeAll(directory, members).keys()]).to.deep.equal(['ok']);
    expect(directory.findingsOf('a')).to.have.length(4);
    expect(directory.resolve('find_tool')).to.equal(undefined);
  });

  it('NameDirectory › resolves a name before any list only when one member can have it', () => {
    const directory = directoryOf(MEMBERS.filter(({ name }) => name === 'a' || name === 'a_b'));
    expect(directory.resolve('a_x')).to.deep.equal({ member: 'a', own: 'x' });
    expect(directory.resolve('a_b_x'), 'either a/b_x or a_b/x').to.equal(undefined);
    expect(directory.resolve('z')).to.equal(undefined);
  });
});
