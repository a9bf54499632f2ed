import { expect } from 'chai';
import { registryDefinition } from '../../src/admin/registry-definition.ts';
import { sourceDefinition, sourceWish } from '../../src/admin/source-definition.ts';

const NOW = {
  name: 'partners',
  type: 'file',
  sourceConfig: { url: 'https://partner.example/a.json', timeout: '10s' },
  filterConfig: { names: { include: ['com.partner/*'] } },
  syncSchedule: '30m0s',
  claims: { org: 'acme' },
  syncStatus: { phase: 'complete' },
};
const SAME = {
  file: NOW.sourceConfig,
  syncPolicy: { interval: '30m0s' },
  filter: NOW.filterConfig,
  claims: NOW.claims,
};

describe('sourceDefinition', () => {
  it('returns the existing source unchanged without flags', () => {
    expect(sourceDefinition(NOW, sourceWish({}, undefined))).to.deep.equal(SAME);
  });

  it('creates a definition from flags', () => {
    const flags = {
      kind: 'git',
      set: ['repository=https://git.example/a', 'auth.user=x', 'depth=1', 'tags=["a"]'],
    };
    expect(sourceDefinition(undefined, sourceWish(flags, { org: 'acme' }))).to.deep.equal({
      git: { repository: 'https://git.example/a', auth: { user: 'x' }, depth: 1, tags: ['a'] },
      claims: { org: 'acme' },
    });
  });

  const changes = [
    {
      title: 'a setting',
      flags: { set: ['url=https://b.example'] },
      part: { file: { ...NOW.sourceConfig, url: 'https://b.example' } },
    },
    {
      title: 'a string that looks like a number',
      flags: { set: ['timeout="10"'] },
      part: { file: { ...NOW.sourceConfig, timeout: '10' } },
    },
    {
      title: 'a value with an equals sign',
      flags: { set: ['url=a=b'] },
      part: { file: { ...NOW.sourceConfig, url: 'a=b' } },
    },
    { title: 'the interval', flags: { interval: '5m' }, part: { syncPolicy: { interval: '5m' } } },
    {
      title: 'part of the filter',
      flags: { exclude: ['com.partner/x'], 'include-tags': ['t'] },
      part: {
        filter: {
          names: { include: ['com.partner/*'], exclude: ['com.partner/x'] },
          tags: { include: ['t'] },
        },
      },
    },
  ];
  for (const { title, flags, part } of changes) {
    it(`changes ${title}, and keeps all other settings`, () => {
      expect(sourceDefinition(NOW, sourceWish(flags, undefined))).to.deep.equal({ ...SAME, ...part });
    });
  }

  it('removes all claims for an empty set of claims', () => {
    const { claims: _claims, ...rest } = SAME;
    expect(sourceDefinition(NOW, sourceWish({}, {}))).to.deep.equal(rest);
  });

  const bad = [
    { title: 'a new source without a kind', now: undefined, flags: { set: ['a=b'] } },
    ...['url', '=x', 'a..b=x', '__proto__.a=1', 'a.__proto__=1'].map((text) => ({
      title: `--set ${text}`,
      now: NOW,
      flags: { set: [text] },
    })),
  ];
  for (const { title, now, flags } of bad) {
    it(`rejects ${title}`, () => {
      expect(() => sourceDefinition(now, sourceWish(flags, undefined)))
        .to.throw()
        .with.property('code', 'ERR_BAD_ARGUMENT');
    });
  }
});

describe('registryDefinition', () => {
  const now = { name: 'main', sources: ['a', 'b'], claims: { org: 'acme' }, createdAt: 'x' };
  const cases = [
    {
      title: 'returns the existing registry unchanged without flags',
      wish: { sources: undefined, claims: undefined },
      expected: { sources: ['a', 'b'], claims: { org: 'acme' } },
    },
    {
      title: 'sets sources',
      wish: { sources: ['c'], claims: undefined },
      expected: { sources: ['c'], claims: { org: 'acme' } },
    },
    {
      title: 'sets claims',
      wish: { sources: undefined, claims: { team: 'x' } },
      expected: { sources: ['a', 'b'], claims: { team: 'x' } },
    },
    { title: 'removes claims', wish: { sources: undefined, claims: {} }, expected: { sources: ['a', 'b'] } },
  ];
  for (const { title, wish, expected } of cases) {
    it(title, () => {
      expect(registryDefinition(now, wish)).to.deep.equal(expected);
    });
  }

  it('throws without sources', () => {
    expect(() => registryDefinition(undefined, { sources: undefined, claims: undefined })).to.throw(
      '--sources',
    );
  });
});
