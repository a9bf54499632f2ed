import { expect } from 'chai';
import type { ResourceClaims } from '@portolan/plugin-api';
import { prepareVersion } from '../src/preparation/prepare-version.ts';

const RULES = {
  accepts: () => true,
  maxMetaSize: 1000,
  now: '2026-03-01T12:00:00.000Z',
  here: 'here',
} as const;
const DOCUMENT = { name: 'acme/notes', description: 'Notes', version: '1.0.0' };

function prepare(claims: unknown, claimsFrom: 'source' | 'entry') {
  // SAFETY: none; what a plugin in JavaScript may report is what is tested.
  const entry = { type: 'server' as const, document: DOCUMENT, claims: claims as ResourceClaims };
  return prepareVersion(entry, { ...RULES, claimsFrom });
}

describe('prepareVersion', () => {
  it('keeps the claims of an entry when the source kind takes claims from entries, or none', () => {
    const cases: readonly (readonly [given: unknown, kept: ResourceClaims])[] = [
      [
        { org: 'acme', team: ['a', 'b'] },
        { org: 'acme', team: ['a', 'b'] },
      ],
      [{}, {}],
      [undefined, {}],
    ];
    for (const [given, kept] of cases) {
      const prepared = prepare(given, 'entry');
      expect('version' in prepared && prepared.version.claims).to.deep.equal(kept);
    }
  });

  it('skips an entry with invalid claims, without a correction', () => {
    const odd: readonly unknown[] = [
      { team: 3 },
      { team: null },
      { org: 'acme', team: undefined },
      { team: ['a', 3] },
      // As lists of one and of none, these would be open to more callers.
      { team: [['a']] },
      { team: [[]] },
      { team: new Set(['a']) },
      JSON.parse('{"__proto__":"a"}'),
      ['a'],
      'a',
    ];
    for (const claims of odd) {
      const prepared = prepare(claims, 'entry');
      expect(prepared, JSON.stringify(claims)).to.include({ skipped: 'an entry (acme/notes)' });
      expect('because' in prepared && prepared.because).to.match(/^claims/);
    }
  });

  it('ignores the claims of an entry when the source kind takes claims from the source', () => {
    const prepared = prepare({ team: 3 }, 'source');
    expect('version' in prepared && Object.hasOwn(prepared.version, 'claims')).to.equal(false);
  });
});
