import { expect } from 'chai';
import { parseEntryAddress, parseVersion } from '../../src/publish/entry-address.ts';

describe('parseEntryAddress', () => {
  it('splits at the first slash', () => {
    expect(parseEntryAddress('server/com.acme/notes')).to.deep.equal({
      type: 'server',
      name: 'com.acme/notes',
    });
    expect(parseEntryAddress('skill/triage')).to.deep.equal({ type: 'skill', name: 'triage' });
  });

  for (const text of ['', 'server', 'server/', 'servers/com.acme/notes', 'com.acme/notes', 'server/..']) {
    it(`rejects "${text}"`, () => {
      expect(() => parseEntryAddress(text))
        .to.throw('expected TYPE/NAME')
        .with.property('code', 'ERR_BAD_ARGUMENT');
    });
  }
});

describe('parseVersion', () => {
  it('accepts any version that a URL path can contain', () => {
    expect(parseVersion('1.0.0+build/1')).to.equal('1.0.0+build/1');
    for (const text of ['', '.', '..']) expect(() => parseVersion(text)).to.throw('expected a version');
  });
});
