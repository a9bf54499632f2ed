import { expect } from 'chai';
import { exposedNameOf, ownNameOf, splitPathName } from '../../src/names/exposed-name.ts';
import type { MemberSettings } from '../../src/options.ts';

interface Row {
  readonly member: string;
  readonly own: string;
  readonly settings: MemberSettings;
  readonly exposed: string;
}

const ROWS: readonly Row[] = [
  { member: 'github', own: 'search', settings: {}, exposed: 'github_search' },
  { member: 'github', own: 'search', settings: { prefix: 'gh' }, exposed: 'gh_search' },
  { member: 'github', own: 'search', settings: { prefix: false }, exposed: 'search' },
  { member: 'github', own: 'search', settings: { override: { search: { name: 'find' } } }, exposed: 'find' },
  {
    member: 'github',
    own: 'search',
    settings: { override: { search: { description: 'Finds' } } },
    exposed: 'github_search',
  },
  { member: 'github', own: 'constructor', settings: { override: {} }, exposed: 'github_constructor' },
  { member: 'a_b', own: 'c', settings: {}, exposed: 'a_b_c' },
];

describe('exposed names', () => {
  for (const { member, own, settings, exposed } of ROWS) {
    it(`exposed names › are ${exposed} for ${own} of ${member} with ${JSON.stringify(settings)}`, () => {
      expect(exposedNameOf(member, own, settings)).to.equal(exposed);
      expect(ownNameOf(member, exposed, settings)).to.equal(own);
    });
  }

  it('ownNameOf › finds nothing when the tool has another name', () => {
    const settings = { override: { search: { name: 'find' } } };
    expect(ownNameOf('github', 'github_search', settings)).to.equal(undefined);
  });

  it('splitPathName › keeps slashes of the own name', () => {
    expect(splitPathName('files/read/all')).to.deep.equal({ member: 'files', own: 'read/all' });
    expect(splitPathName('read')).to.equal(undefined);
  });
});
