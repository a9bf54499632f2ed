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
    { title: 'nothing where nothing is other', expected: [] },
    {
      title: 'sources that come and go',
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
      title: 'how often a source is read, by the key of the file',
      sources: [{ ...SOURCE, intervalMs: 5_400_000 }],
      expected: ['sources.notes.syncPolicy.interval: "1m0s" → "1h30m0s"'],
    },
    {
      title: 'that a source is read once only',
      sources: [{ ...SOURCE, intervalMs: undefined }],
      expected: ['sources.notes.syncPolicy: {"interval":"1m0s"} → nothing'],
    },
    {
      title: 'an address without what it may hold of a login',
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
      title: 'that a secret is other, and not which it is',
      sources: [{ ...SOURCE, block: { url: 'https://a.example', token: 'hunter3' } }],
      expected: ['sources.notes.api: a secret is another one'],
    },
    {
      title: 'that claims are other, and not which they are',
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
      title: 'the sources of a registry in their order',
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
