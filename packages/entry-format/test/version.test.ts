import { findVersionFault, isSemanticVersion, isVersionRange, versionOrderKey } from '@portolan/entry-format';
import { expect } from 'chai';
import fc from 'fast-check';
import semver from 'semver';
import { trials } from '../../../test/support/soak.ts';

const EARLY = '2026-01-01T00:00:00.000Z';
const LATE = '2026-02-01T00:00:00.000Z';

const number = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.maxSafeNat()).map(String);
const word = fc.stringMatching(/^[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,3}$/);
const preRelease = fc
  .array(fc.oneof(number, word), { maxLength: 4 })
  .map((identifiers) => (identifiers.length === 0 ? '' : `-${identifiers.join('.')}`));
const semantic = fc
  .tuple(number, number, number, preRelease)
  .map(([a, b, c, rest]) => `${a}.${b}.${c}${rest}`);
const other = fc.oneof(
  fc.constantFrom('nightly', 'v1.0.0', '2026.01.15', '1.0', '1.0.0+1', '1.0.0-01'),
  fc.string(),
);
const published = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });

function compareKeys(one: string, two: string): number {
  return Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(two)));
}

describe('isSemanticVersion', () => {
  const cases = [
    { version: '1.0.0', expected: true },
    { version: '0.0.0', expected: true },
    { version: '1.0.0-rc.1', expected: true },
    { version: '1.0.0--', expected: true },
    { version: '10.20.30-0a.x-y', expected: true },
    { version: 'v1.0.0', expected: false },
    { version: '1.0', expected: false },
    { version: '1.0.0.0', expected: false },
    { version: '1.0.0+build', expected: false },
    { version: '2026.01.15', expected: false },
    { version: '1.0.0-01', expected: false },
    { version: '1.0.0-', expected: false },
    { version: '1.0.0-a..b', expected: false },
    { version: ' 1.0.0', expected: false },
    { version: '1.0.0\n', expected: false },
    { version: '', expected: false },
  ];
  for (const { version, expected } of cases) {
    it(`returns ${expected} for ${JSON.stringify(version)}`, () => {
      expect(isSemanticVersion(version)).to.equal(expected);
    });
  }
});

describe('isVersionRange', () => {
  const ranges = [
    '^1.2.3',
    '~1',
    '~1.2',
    '>=1.0',
    '>1',
    '<=2',
    '<2',
    '=1.0.0',
    '1.x',
    '1.X',
    '1.2.*',
    '1.x.x',
    '*',
    'x',
    '1.0 - 2.0',
    '1.2 || 1.3',
    '1.2||1.3',
    '>=1 <2',
    '1.0, <2.0',
    'v1.x',
  ];
  const versions = [
    '1.0.0',
    'v1',
    '2026.01.15',
    'nightly',
    '1.0.0-x',
    '1.0.0-alpha.x',
    '1.0-2.0',
    'x86',
    'release-1.x',
    '',
  ];
  for (const version of ranges) {
    it(`returns true for ${version}`, () => {
      expect(isVersionRange(version)).to.equal(true);
    });
  }
  for (const version of versions) {
    it(`returns false for ${JSON.stringify(version)}`, () => {
      expect(isVersionRange(version)).to.equal(false);
    });
  }
});

describe('findVersionFault', () => {
  for (const version of ['.', '..', '', 'latest', '^1.2.3', '1.0 beta', '1.0\u0000', '1.0\n']) {
    it(`returns a fault for ${JSON.stringify(version)}`, () => {
      expect(findVersionFault(version)).to.be.a('string');
    });
  }
  for (const version of ['1.0.0', 'v1', '2026.01.15', 'nightly', '1.0.0+1', 'Latest', 'a/b', '版本']) {
    it(`returns no fault for ${version}`, () => {
      expect(findVersionFault(version)).to.equal(undefined);
    });
  }
});

describe('versionOrderKey', () => {
  it('sorts the example of semver.org', () => {
    const order = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.9.0',
      '1.10.0',
      '2.0.0',
    ];
    const keys = order.map((version) => versionOrderKey(version, EARLY));
    expect(keys.toReversed().toSorted(compareKeys)).to.deep.equal(keys);
  });

  const pairs = [
    { title: 'a semantic version above any other', low: ['nightly', LATE], high: ['0.0.0-0', EARLY] },
    {
      title: 'the later of two other versions above the earlier',
      low: ['release-b', EARLY],
      high: ['release-a', LATE],
    },
    {
      title: 'other versions of the same time by their text',
      low: ['nightly-1', EARLY],
      high: ['nightly-2', EARLY],
    },
    {
      title: 'times by the instant, not by their text',
      low: ['a', '2026-01-01T01:00:00+02:00'],
      high: ['a', '2026-01-01T00:00:00Z'],
    },
    {
      title: 'a date with leading zeros as not semantic',
      low: ['2026.01.15', LATE],
      high: ['1.0.0', EARLY],
    },
  ] as const;
  for (const { title, low, high } of pairs) {
    it(`sorts ${title}`, () => {
      expect(compareKeys(versionOrderKey(low[0], low[1]), versionOrderKey(high[0], high[1]))).to.equal(-1);
    });
  }

  it('ignores the time of a semantic version', () => {
    expect(versionOrderKey('1.0.0', EARLY)).to.equal(versionOrderKey('1.0.0', 'no time at all'));
  });

  it('throws for another version without a time', () => {
    expect(() => versionOrderKey('nightly', 'no time at all')).to.throw(RangeError);
  });

  it('sorts like semver for any two semantic versions', () => {
    fc.assert(
      fc.property(semantic, semantic, (one, two) => {
        const expected = semver.compare(one, two);
        expect(compareKeys(versionOrderKey(one, EARLY), versionOrderKey(two, LATE))).to.equal(expected);
      }),
      trials({ short: 2000 }),
    );
  });

  it('sorts like semver for versions that differ in one place', () => {
    const twins = fc.tuple(number, number, preRelease, preRelease);
    fc.assert(
      fc.property(twins, ([major, patch, one, two]) => {
        const [low, high] = [`${major}.0.${patch}${one}`, `${major}.0.${patch}${two}`];
        expect(compareKeys(versionOrderKey(low, EARLY), versionOrderKey(high, EARLY))).to.equal(
          semver.compare(low, high),
        );
      }),
      trials({ short: 2000 }),
    );
  });

  it('accepts as semantic what semver parses without a change', () => {
    fc.assert(
      fc.property(fc.oneof(semantic, other), (version) => {
        const parsed = semver.parse(version);
        const isPlain = parsed !== null && parsed.build.length === 0 && parsed.version === version;
        expect(isSemanticVersion(version)).to.equal(isPlain);
      }),
    );
  });

  it('returns different keys for different versions', () => {
    const version = fc.oneof(
      semantic,
      other.filter((text) => text.isWellFormed()),
    );
    fc.assert(
      fc.property(version, version, published, (one, two, time) => {
        fc.pre(one !== two);
        const at = time.toISOString();
        expect(compareKeys(versionOrderKey(one, at), versionOrderKey(two, at))).not.to.equal(0);
      }),
    );
  });

  const PYTHON = { packages: [{ registryType: 'pypi' }, { registryType: 'pypi' }] };
  const MIXED = { packages: [{ registryType: 'pypi' }, { registryType: 'npm' }] };
  const ASCENDING: readonly (readonly [title: string, document: unknown, versions: readonly string[]])[] = [
    ['parts with numbers as numbers', undefined, ['1.0.0.9', '1.0.0.10', '1.0.0.11.1']],
    ['release candidates', undefined, ['2.4.1rc2', '2.4.1rc10']],
    ['development versions', undefined, ['1.0.0.dev3', '1.0.0.dev20', '1.0.0.0']],
    ['a leading v', undefined, ['v1.2.0', 'v1.10.0', 'V2.0']],
    ['a leading v beside none', undefined, ['1.9', 'v1.10', '1.11']],
    ['calendars', undefined, ['2025.01.15', '2025.10.02', '2026.01.01']],
    ['a candidate against its release', undefined, ['1.0rc1', '1.0', '1.0.1']],
    ['revisions of Go modules', undefined, ['v0.0.0+20260101-a', 'v0.0.0+20260102-a']],
    [
      'PEP 440',
      PYTHON,
      [
        'nightly',
        '0.9',
        '1.0.dev1',
        '1.0.dev20',
        '1.0a1.dev1',
        '1.0a1',
        '1.0-alpha-2',
        '1.0b1',
        '1.0c1',
        '1.0rc2',
        '1.0.rc10',
        '1.0',
        '1.0+abc',
        '1.0+abc.5',
        '1.0+5',
        '1.0.post1.dev2',
        '1.0.post1',
        '1.0-2',
        '1.0.0.1',
        '01.1',
        '1!0.5',
      ],
    ],
    ['PEP 440, from JSON', JSON.stringify(PYTHON), ['1.0.post2', '1.0.post10']],
    ['other entries part by part', MIXED, ['1.0.a1', '1.0.b1', '1.0', '1.0.post1']],
  ];
  for (const [title, document, versions] of ASCENDING) {
    it(`296, B10 › sorts ${title} when the times are equal`, () => {
      const keys = versions.map((version) => versionOrderKey(version, EARLY, document));
      expect(keys.toReversed().toSorted(compareKeys)).to.deep.equal(keys);
    });
  }

  it('B10 › sorts by time of publication before numbers', () => {
    const [older, newer] = [versionOrderKey('1.0.0.10', EARLY), versionOrderKey('1.0.0.9', LATE)];
    expect(compareKeys(older, newer)).to.equal(-1);
  });

  it('B10 › returns different keys for spellings of one Python version', () => {
    const keys = ['1.0', '1.0.0.0', 'v1.0'].map((version) => versionOrderKey(version, EARLY, PYTHON));
    expect(new Set(keys).size).to.equal(3);
  });
});
