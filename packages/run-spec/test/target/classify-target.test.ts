import type { Ecosystem } from '@portolan/plugin-api';
import { expect } from 'chai';
import {
  classifyTarget,
  type LookupOutcome,
  type NamedTarget,
  settleName,
} from '../../src/target/classify-target.ts';
import { caught } from '../../../../test/support/caught.ts';

const schemes = new Map<string, Ecosystem>([
  ['npx', 'npm'],
  ['uvx', 'python'],
  ['go', 'go'],
]);
const classify = (argument: string | undefined, fromConfig?: string): ReturnType<typeof classifyTarget> =>
  classifyTarget({ argument, fromConfig, schemes });

describe('classifyTarget', () => {
  it('returns --from-config first', () => {
    expect(classify(undefined, 'w.json').target).to.deep.equal({ from: 'file', path: 'w.json' });
  });

  it('rejects an argument next to --from-config, and an absent target', async () => {
    expect(await caught(() => classify('weather', 'w.json'))).to.have.property('code', 'ERR_RUN_TARGET');
    expect(await caught(() => classify(undefined))).to.have.property('code', 'ERR_RUN_TARGET');
    expect(await caught(() => classify(' '))).to.have.property('code', 'ERR_RUN_TARGET');
  });

  it('classifyTarget › returns the file or the group of a virtual server', () => {
    const none = { argument: undefined, fromConfig: undefined, schemes };
    expect(classifyTarget({ ...none, members: 'desk.yaml' })).to.deep.equal({
      target: { from: 'members', file: 'desk.yaml', group: undefined },
      because: '--members names a file.',
    });
    expect(classifyTarget({ ...none, memberGroup: 'team' })).to.deep.equal({
      target: { from: 'members', file: undefined, group: 'team' },
      because: '--member-group names a group.',
    });
  });

  for (const [title, request] of [
    ['a target', { argument: 'weather', fromConfig: undefined, members: 'desk.yaml' }],
    ['a target and a group', { argument: 'weather', fromConfig: undefined, memberGroup: 'team' }],
    ['a run config', { argument: undefined, fromConfig: 'w.json', members: 'desk.yaml' }],
    ['a group', { argument: undefined, fromConfig: undefined, members: 'desk.yaml', memberGroup: 'team' }],
    ['no name', { argument: undefined, fromConfig: undefined, members: ' ' }],
  ] as const) {
    it(`classifyTarget › refuses members with ${title}`, async () => {
      expect(await caught(() => classifyTarget({ ...request, schemes }))).to.have.property(
        'code',
        'ERR_RUN_TARGET',
      );
    });
  }

  for (const text of ['https://mcp.acme.example/mcp', 'http://127.0.0.1:8080', 'HTTPS://acme.example/sse']) {
    it(`classifies ${text} as a URL`, () => {
      const { target, because } = classify(text);
      expect(target).to.have.property('from', 'url');
      expect(because).to.include('URL');
    });
  }

  const packages = [
    { text: 'npx://@acme/notes-mcp@2.1.0', scheme: 'npx', rest: '@acme/notes-mcp@2.1.0' },
    { text: 'uvx://mcp-server-time', scheme: 'uvx', rest: 'mcp-server-time' },
    { text: 'go://./cmd/server', scheme: 'go', rest: './cmd/server' },
  ];
  for (const { text, scheme, rest } of packages) {
    it(`classifies ${text} as a package`, () => {
      expect(classify(text).target).to.include({ from: 'scheme', scheme, package: rest });
    });
  }

  const names = [
    { text: 'weather', canBeServer: true, canBeImage: true, saysImage: false },
    { text: 'acme/weather', canBeServer: true, canBeImage: true, saysImage: false },
    { text: 'dev.acme/weather', canBeServer: true, canBeImage: true, saysImage: false },
    { text: 'Dev.Acme/Weather', canBeServer: true, canBeImage: false, saysImage: false },
    { text: 'ghcr.io/acme/weather-mcp:1.4.0', canBeServer: false, canBeImage: true, saysImage: true },
    { text: 'registry.acme.example/tools/weather', canBeServer: false, canBeImage: true, saysImage: true },
    { text: 'weather:1', canBeServer: false, canBeImage: true, saysImage: true },
    { text: 'localhost:5000/weather', canBeServer: false, canBeImage: true, saysImage: true },
    { text: 'localhost/weather', canBeServer: true, canBeImage: true, saysImage: true },
    { text: 'ghcr.io/weather', canBeServer: true, canBeImage: true, saysImage: true },
    { text: 'europe-docker.pkg.dev/weather', canBeServer: true, canBeImage: true, saysImage: true },
    { text: 'io.ghcr/weather', canBeServer: true, canBeImage: true, saysImage: false },
    { text: `acme/weather@sha256:${'a'.repeat(64)}`, canBeServer: false, canBeImage: true, saysImage: true },
  ];
  for (const { text, ...expected } of names) {
    it(`classifies ${text} as a name to look up`, () => {
      expect(classify(text).target).to.deep.equal({ from: 'name', text, ...expected });
    });
  }

  const bad = [
    { text: 'docker://acme/weather', says: 'no scheme docker://' },
    { text: 'NPX://acme', says: 'no scheme NPX://' },
    { text: 'http://', says: 'no URL with a host' },
    { text: 'https://ann:hunter2@acme.example/mcp', says: 'user name or password' },
    { text: 'a b', says: 'neither a server name nor an image' },
    { text: '--help', says: 'no registry is configured' },
    { text: 'a/b/C:1', says: 'neither' },
  ];
  for (const { text, says } of bad) {
    it(`rejects ${text}`, async () => {
      const error = await caught(() => {
        const { target } = classify(text);
        if (target.from === 'name') settleName(target, { outcome: 'no-registry' });
      });
      expect(error.code).to.equal('ERR_RUN_TARGET');
      expect(error.message).to.include(says).and.not.to.include('hunter2');
      expect(error.hint).not.to.include('hunter2');
    });
  }

  for (const [text, hint] of [
    ['@acme/notes', 'Write npx://@acme/notes for a package.'],
    ['@acme/notes@1.2.0', 'Write npx://@acme/notes@1.2.0 for a package.'],
    ['npx:/@acme/notes', 'Write npx://@acme/notes for a package.'],
    ['a b@c', 'Name a server of the registry'],
  ] as const) {
    it(`gives for ${text} the hint: ${hint}`, async () => {
      expect((await caught(async () => classify(text))).hint).to.include(hint);
    });
  }

  it('rejects an invalid package', async () => {
    expect(await caught(() => classify('npx://a;b'))).to.have.property('code', 'ERR_PACKAGE');
  });
});

describe('settleName', () => {
  const named: NamedTarget = {
    from: 'name',
    text: 'weather',
    canBeServer: true,
    canBeImage: true,
    saysImage: false,
  };
  const registry = 'https://registry.acme.example';
  const cases: readonly {
    title: string;
    lookup: LookupOutcome;
    more?: Partial<NamedTarget>;
    isOnEngine?: boolean;
    expected: unknown;
    says: string;
  }[] = [
    {
      title: 'a server that the registry knows',
      lookup: { outcome: 'found', server: 'dev.acme/weather', registry },
      expected: { from: 'registry', server: 'dev.acme/weather' },
      says: registry,
    },
    {
      title: 'a server that the registry knows, for any image on the engine',
      lookup: { outcome: 'found', server: 'dev.acme/weather', registry },
      isOnEngine: true,
      expected: { from: 'registry', server: 'dev.acme/weather' },
      says: registry,
    },
    {
      title: 'an image on the engine when the registry does not know the name',
      lookup: { outcome: 'not-found', registry },
      isOnEngine: true,
      expected: { from: 'image', reference: 'weather' },
      says: 'The engine has an image',
    },
    {
      title: 'an image on the engine without a registry',
      lookup: { outcome: 'no-registry' },
      isOnEngine: true,
      expected: { from: 'image', reference: 'weather' },
      says: 'The engine has an image',
    },
    {
      title: 'an image whose name has a host',
      lookup: { outcome: 'not-found', registry },
      more: { saysImage: true },
      expected: { from: 'image', reference: 'weather' },
      says: 'no server of this name',
    },
    {
      title: 'an image when the name is invalid for a server',
      lookup: { outcome: 'no-registry' },
      more: { saysImage: true, canBeServer: false },
      expected: { from: 'image', reference: 'weather' },
      says: 'No server can have',
    },
  ];
  for (const { title, lookup, more, isOnEngine, expected, says } of cases) {
    it(`chooses ${title}`, () => {
      const { target, because } = settleName({ ...named, ...more }, lookup, isOnEngine);
      expect(target).to.deep.equal(expected);
      expect(because).to.include(says);
    });
  }

  it('rejects an unknown name, and names both kinds of look-up', async () => {
    const unknown = await caught(() => settleName(named, { outcome: 'not-found', registry }));
    expect(unknown).to.have.property('code', 'ERR_RUN_TARGET');
    expect(unknown.message).to.include(registry).and.to.include('the engine has no image');
    expect(unknown.hint).to.include('portolan search').and.to.include('weather:latest');
    const near = await caught(() =>
      settleName(named, { outcome: 'not-found', registry, didYouMean: 'dev.acme/weather' }),
    );
    expect(near.hint).to.include('Did you mean dev.acme/weather?').and.to.include('weather:latest');
    const nowhere = await caught(() => settleName(named, { outcome: 'no-registry' }));
    expect(nowhere.hint).to.include('portolan config set-registry').and.to.include('weather:latest');
  });

  it('rejects an unknown name with a hint about the configuration', async () => {
    const capital = { ...named, text: 'Dev.Acme/Weather', canBeImage: false };
    const error = await caught(() => settleName(capital, { outcome: 'no-registry' }));
    expect(error.hint).to.include('portolan config set-registry');
    expect((await caught(() => settleName(capital, { outcome: 'not-found', registry }))).message).to.include(
      registry,
    );
  });
});
