import type { RegistryConfig } from '@portolan/kernel';
import type { ConfiguredSource } from '@portolan/registry';
import { expect } from 'chai';
import { describeChanges } from '../../src/host/describe-changes.ts';

const SOURCE: ConfiguredSource = {
  name: 'notes',
  kind: 'api',
  claimsFrom: 'source',
  block: { url: 'https://a.example', token: 'hunter2' },
  publicBlock: { url: 'https://a.example' },
  filter: undefined,
  intervalMs: 60_000,
  claims: { org: 'acme' },
};
const REGISTRY: RegistryConfig = {
  name: 'main',
  sources: ['notes'],
  claims: {},
  public: false,
  publicClaims: undefined,
};

describe('describeChanges', () => {
  const cases: readonly {
    readonly title: string;
    readonly sources?: readonly ConfiguredSource[];
    readonly registries?: readonly RegistryConfig[];
    readonly expected: readonly string[];
  }[] = [
    { title: 'nothing without a change', expected: [] },
    {
      title: 'added and removed sources',
      sources: [{ ...SOURCE, name: 'more' }],
      expected: ['sources.notes: removed', 'sources.more: added'],
    },
    {
      title: 'a setting with its values',
      sources: [
        {
          ...SOURCE,
          publicBlock: { url: 'https://b.example', branch: 'x' },
          block: { url: 'https://b.example', branch: 'x', token: 'hunter2' },
        },
      ],
      expected: [
        'sources.notes.api.url: "https://a.example" → "https://b.example"',
        'sources.notes.api.branch: nothing → "x"',
      ],
    },
    {
      title: 'a changed interval, by its key in the file',
      sources: [{ ...SOURCE, intervalMs: 5_400_000 }],
      expected: ['sources.notes.syncPolicy.interval: "1m0s" → "1h30m0s"'],
    },
    {
      title: 'a source that is now synced only once',
      sources: [{ ...SOURCE, intervalMs: undefined }],
      expected: ['sources.notes.syncPolicy: {"interval":"1m0s"} → nothing'],
    },
    {
      title: 'an address without its credentials',
      sources: [{ ...SOURCE, publicBlock: { url: 'https://ann:hunter2@b.example/x' } }],
      expected: ['sources.notes.api.url: "https://a.example" → "https://…@b.example/x"'],
    },
    {
      title: 'another kind',
      sources: [{ ...SOURCE, kind: 'file', publicBlock: { path: 'a' }, block: { path: 'a' } }],
      expected: [
        'sources.notes.kind: "api" → "file"',
        'sources.notes.api: {"url":"https://a.example"} → nothing',
        'sources.notes.file: nothing → {"path":"a"}',
      ],
    },
    {
      title: 'a changed secret without its value',
      sources: [{ ...SOURCE, block: { url: 'https://a.example', token: 'hunter3' } }],
      expected: ['sources.notes.api: a secret is another one'],
    },
    {
      title: 'changed claims without their values',
      sources: [{ ...SOURCE, claims: { org: 'rival' } }],
      registries: [{ ...REGISTRY, claims: { team: 'maps' }, public: true, publicClaims: { team: 'x' } }],
      expected: [
        'sources.notes.claims: changed',
        'registries.main.public: false → true',
        'registries.main.claims: changed',
        'registries.main.publicClaims: changed',
      ],
    },
    {
      title: 'the order of sources of a registry',
      registries: [{ ...REGISTRY, sources: ['more', 'notes'] }],
      expected: ['registries.main.sources: "notes" → "more, notes"'],
    },
  ];
  for (const { title, sources = [SOURCE], registries = [REGISTRY], expected } of cases) {
    it(`describes ${title}`, () => {
      const before = { sources: [SOURCE], registries: [REGISTRY] };
      const changes = describeChanges(before, { sources, registries });
      expect(changes).to.deep.equal(expected);
      expect(changes.join('\n')).not.to.match(/hunter|acme|rival|maps/);
    });
  }
});
