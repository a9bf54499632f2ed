import { expect } from 'chai';
import { pathOfEntry, pathOfVersion } from '../../src/management/entry-path.ts';

describe('pathOfEntry', () => {
  it('escapes the name as one segment', () => {
    expect(pathOfEntry({ type: 'server', name: 'com.acme/notes' })).to.equal(
      '/v1/entries/server/com.acme%2Fnotes',
    );
    expect(pathOfEntry({ type: 'plugin', name: 'a?b#c%2F' })).to.equal('/v1/entries/plugin/a%3Fb%23c%252F');
  });
});

describe('pathOfVersion', () => {
  it('escapes the version', () => {
    const entry = { type: 'server', name: 'a/b' } as const;
    expect(pathOfVersion(entry, '1.0.0+build/1')).to.equal(
      '/v1/entries/server/a%2Fb/versions/1.0.0%2Bbuild%2F1',
    );
    for (const text of ['', '.', '..']) expect(() => pathOfVersion(entry, text)).to.throw(TypeError);
  });
});
