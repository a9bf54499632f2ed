import { expect } from 'chai';
import { parseEntryAddress, pathOfEntry, pathOfVersion } from '../src/registry-client/entry-address.ts';

describe('parseEntryAddress', () => {
  it('splits at the first slash', () => {
    expect(parseEntryAddress('server/com.acme/notes')).to.deep.equal({
      type: 'server',
      name: 'com.acme/notes',
    });
    expect(parseEntryAddress('skill/triage')).to.deep.equal({ type: 'skill', name: 'triage' });
  });

  for (const text of ['', 'server', 'server/', 'servers/com.acme/notes', 'com.acme/notes', 'server/..']) {
    it(`refuses "${text}"`, () => {
      expect(() => parseEntryAddress(text))
        .to.throw('expected TYPE/NAME')
        .with.property('code', 'ERR_BAD_ARGUMENT');
    });
  }
});

describe('pathOfEntry', () => {
  it('has the name as one segment', () => {
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
    expect(() => pathOfVersion(entry, '..')).to.throw('expected a version');
  });
});
