import { expect } from 'chai';
import { pathNameOf, splitPathName } from '../../src/names/path-name.ts';

describe('names of the message path', () => {
  it('splitPathName › keeps slashes of the own name', () => {
    expect(splitPathName(pathNameOf('files', 'read/all'))).to.deep.equal({
      member: 'files',
      own: 'read/all',
    });
  });

  it('splitPathName › finds nothing in a name without a member', () => {
    expect(splitPathName('read')).to.equal(undefined);
    expect(splitPathName('/read')).to.equal(undefined);
  });
});
