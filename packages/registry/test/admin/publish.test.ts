import { expect } from 'chai';
import type { ResourceClaims } from '@portolan/plugin-api';
import type { Actor, Publication } from '@portolan/registry';
import { describeAdmin } from '../support/admin-suite.ts';
import {
  anonymous,
  authOnly,
  authOnlyUnlabelled,
  codeOf,
  gitSource,
  holding,
  managedSource,
  nobody,
  refusal,
  serverOf,
  skillOf,
  superAdmin,
  UNCHECKED,
} from '../support/actors.ts';
import { fill } from '../support/fill.ts';

const ACME = { org: 'acme' };
const acme = holding({ org: 'acme', team: ['eng', 'data'] });

describeAdmin('RegistryAdmin: publish', (bench) => {
  beforeEach(async () => {
    await bench.admin.putSource(superAdmin, 'mine', managedSource({ claims: ACME }));
    await bench.admin.putRegistry(superAdmin, 'main', { sources: ['mine'], claims: {} });
  });

  const publish = (actor: Actor, publication: Publication, claims?: ResourceClaims, options = {}) =>
    bench.admin.publish(actor, { ...publication, claims }, options);
  const claimsOf = async () => (await bench.rows()).map((row) => [row.version, row.claims]);

  it('publish › stores a version and returns it', async () => {
    const row = await publish(acme, serverOf('acme/x'), ACME);
    expect(row).to.deep.include({
      type: 'server',
      name: 'acme/x',
      version: '1.0.0',
      source: 'mine',
      claims: ACME,
      status: 'active',
      statusMessage: undefined,
      publishedAt: bench.now.toISOString(),
      isLatest: true,
    });
    expect(await bench.rows()).to.deep.equal([row]);
    expect(bench.changes.at(-1)).to.deep.equal({ what: 'entries', name: 'mine' });
    expect((await bench.admin.getSource(acme, 'mine')).status).to.include({
      phase: 'complete',
      serverCount: 1,
    });
  });

  it('publish › keeps the whole document: arguments (reference 851), repeated packages (registry server 238) and vendor metadata (reference 303)', async () => {
    const argument = {
      type: 'named',
      name: '--port',
      value: '{port}',
      variables: { port: { format: 'number' } },
    };
    const whole = serverOf('acme/x', '1.0.0', {
      icons: [{ src: 'https://acme.example/icon.png' }],
      packages: [
        {
          registryType: 'oci',
          identifier: 'ghcr.io/acme/x:1',
          transport: { type: 'stdio' },
          runtimeArguments: [{ type: 'positional', value: '-v' }],
          packageArguments: [argument],
          environmentVariables: [{ name: 'KEY', isSecret: true }],
        },
        ...['stdio', 'stdio'].map((type) => ({
          registryType: 'oci',
          identifier: 'ghcr.io/acme/x:1',
          transport: { type },
        })),
      ],
      _meta: {
        'io.modelcontextprotocol.registry/publisher-provided': {
          'example.vendor': { deep: [1, { x: null }] },
        },
      },
    });
    await publish(acme, whole, ACME);
    const rows = await bench.store.reading.selectFrom('entry_version').select('document').execute();
    expect(rows.map(({ document: text }) => JSON.parse(text))).to.deep.equal([whole.document]);
  });

  it('publish › counts entries, not versions, by type', async () => {
    await publish(acme, serverOf('acme/x'), ACME);
    await publish(acme, serverOf('acme/x', '1.1.0'), ACME);
    await publish(acme, skillOf('acme.tools', 'notes'), ACME);
    expect((await bench.admin.getSource(acme, 'mine')).status).to.include({ serverCount: 1, skillCount: 1 });
    const [row] = await bench.store.reading.selectFrom('sync_status').select('version_count').execute();
    expect(row?.version_count).to.equal(3);
  });

  it('dry run › returns the outcome of the publish and stores nothing', async () => {
    const dry = (...args: Parameters<typeof publish>) =>
      publish(args[0], args[1], args[2], { ...args[3], dryRun: true });
    const changesBefore = bench.changes.length;
    const epochBefore = (await bench.reader.catalog()).registries.get('main')?.epoch;
    const tried = await dry(acme, serverOf('acme/x'), ACME);
    expect(tried).to.deep.include({
      name: 'acme/x',
      version: '1.0.0',
      source: 'mine',
      claims: ACME,
      isLatest: true,
    });
    expect(await bench.rows()).to.deep.equal([]);
    expect(bench.changes.length).to.equal(changesBefore);
    expect((await bench.reader.catalog()).registries.get('main')?.epoch).to.equal(epochBefore);
    expect((await bench.admin.getSource(acme, 'mine')).status).to.include({ serverCount: 0 });

    await publish(acme, serverOf('acme/x'), ACME);
    const refused: [string, Promise<unknown>][] = [
      ['ERR_CLAIMS_REQUIRED', dry(acme, serverOf('acme/x', '1.1.0'))],
      ['ERR_DOCUMENT_INVALID', dry(acme, serverOf('no-slash'), ACME)],
      ['ERR_CLAIMS_BEYOND_CALLER', dry(acme, serverOf('acme/x', '1.1.0'), { org: 'other' })],
      ['ERR_SOURCE_UNKNOWN', dry(acme, { ...serverOf('acme/x', '1.1.0'), source: 'x' }, ACME)],
      ['ERR_CLAIMS_DIFFER', dry(acme, serverOf('acme/x', '1.1.0'), { team: 'eng' })],
      ['ERR_VERSION_EXISTS', dry(acme, serverOf('acme/x'), ACME)],
      ['ERR_REVISION_CHANGED', dry(acme, serverOf('acme/x', '1.1.0'), ACME, { ifMatch: ['other'] })],
    ];
    for (const [code, promise] of refused) expect(await codeOf(promise)).to.equal(code);
    expect(await dry(superAdmin, serverOf('acme/x', '1.1.0'), { org: 'other' })).to.deep.include({
      version: '1.1.0',
      claims: { org: 'other' },
    });
    expect(await claimsOf()).to.deep.equal([['1.0.0', ACME]]);
    // The turn that a dry run has taken is given back.
    await publish(acme, serverOf('acme/x', '1.1.0'), ACME);
  });

  it('publish › moves latest only to a higher version', async () => {
    for (const version of ['1.0.0', '1.10.0', '1.9.0', 'nightly'])
      await publish(acme, serverOf('acme/x', version), ACME);
    expect((await bench.rows()).filter((row) => row.isLatest).map((row) => row.version)).to.deep.equal([
      '1.10.0',
    ]);
  });

  it('publish › checks in order: missing claims, document, claims beyond the caller, source, different claims, version', async () => {
    const bad = serverOf('no-slash');
    const steps: [string, Promise<unknown>][] = [
      ['ERR_CLAIMS_REQUIRED', publish(acme, { ...bad, source: 'x' })],
      ['ERR_CLAIMS_REQUIRED', publish(acme, { ...bad, source: 'x' }, {})],
      ['ERR_CLAIMS_REQUIRED', publish(nobody, serverOf('acme/x'))],
      ['ERR_DOCUMENT_INVALID', publish(acme, { ...bad, source: 'x' }, { org: 'other' })],
      ['ERR_CLAIMS_BEYOND_CALLER', publish(acme, { ...serverOf('acme/x'), source: 'x' }, { org: 'other' })],
      ['ERR_CLAIMS_BEYOND_CALLER', publish(acme, serverOf('acme/x'), { org: 'acme', team: ['eng', 'ops'] })],
      ['ERR_CLAIMS_BEYOND_CALLER', publish(nobody, serverOf('acme/x'), ACME)],
      ['ERR_SOURCE_UNKNOWN', publish(acme, { ...serverOf('acme/x'), source: 'x' }, ACME)],
    ];
    for (const [code, promise] of steps) expect(await codeOf(promise)).to.equal(code);
    await publish(acme, serverOf('acme/x'), ACME);
    expect(await codeOf(publish(acme, serverOf('acme/x'), { team: 'eng' }))).to.equal('ERR_CLAIMS_DIFFER');
    expect(await codeOf(publish(acme, serverOf('acme/x'), ACME))).to.equal('ERR_VERSION_EXISTS');
    expect(await claimsOf()).to.deep.equal([['1.0.0', ACME]]);
  });

  it('publish › ignores the order of a list in claims, and treats a string like a list with one item', async () => {
    await publish(acme, serverOf('acme/x'), { team: ['eng', 'data'], org: ['acme'] });
    await publish(acme, serverOf('acme/x', '1.1.0'), { org: 'acme', team: ['data', 'eng', 'eng'] });
    expect(await codeOf(publish(acme, serverOf('acme/x', '1.2.0'), { org: 'acme', team: 'eng' }))).to.equal(
      'ERR_CLAIMS_DIFFER',
    );
  });

  it('publish › throws ERR_ENTRY_NAME_TAKEN without a reason when the actor may not see the entry', async () => {
    await publish(superAdmin, serverOf('acme/x'), { org: 'secret-other' });
    await publish(superAdmin, serverOf('acme/bare'));
    for (const name of ['acme/x', 'acme/bare']) {
      const refused = await refusal(publish(acme, serverOf(name, '1.1.0'), ACME));
      expect([refused.code, refused.message], name).to.deep.equal([
        'ERR_ENTRY_NAME_TAKEN',
        'This name is taken.',
      ]);
      const again = await refusal(publish(acme, serverOf(name), ACME, { dryRun: true }));
      expect(again.message, `${name}, the version that exists`).to.equal('This name is taken.');
    }
  });

  it('publish › accepts no claims from a superAdmin and keeps those of the entry, or other ones for all versions', async () => {
    const address = { type: 'server', name: 'acme/x' } as const;
    await publish(superAdmin, serverOf('acme/x'));
    expect(await claimsOf()).to.deep.equal([['1.0.0', {}]]);
    const before = (await bench.admin.getEntryClaims(superAdmin, address)).revision;
    await publish(superAdmin, serverOf('acme/x', '1.1.0'), { org: 'any' });
    expect(await claimsOf()).to.deep.equal([
      ['1.0.0', { org: 'any' }],
      ['1.1.0', { org: 'any' }],
    ]);
    const after = (await bench.admin.getEntryClaims(superAdmin, address)).revision;
    expect(after).to.not.equal(before);
    await publish(superAdmin, serverOf('acme/x', '1.2.0'));
    const last = await publish(superAdmin, serverOf('acme/x', '1.3.0'), {});
    expect(last.claims).to.deep.equal({ org: 'any' });
    expect((await bench.admin.getEntryClaims(superAdmin, address)).revision).to.equal(after);
  });

  it('publish › throws ERR_CLAIMS_REQUIRED without claims in auth-only mode, for a later version as well', async () => {
    expect(await codeOf(publish(authOnly, serverOf('acme/x')))).to.equal('ERR_CLAIMS_REQUIRED');
    expect(await codeOf(publish(authOnly, serverOf('acme/x'), {}))).to.equal('ERR_CLAIMS_REQUIRED');
    await publish(authOnly, serverOf('acme/x'), { org: 'not held' });
    expect(await codeOf(publish(authOnly, serverOf('acme/x', '1.1.0')))).to.equal('ERR_CLAIMS_REQUIRED');
  });

  for (const [who, actor] of [
    ['auth-only mode with requireClaims: false', authOnlyUnlabelled],
    ['anonymous mode', anonymous],
  ] as const) {
    it(`publish › in ${who}, keeps the claims of the entry when omitted, and throws ERR_CLAIMS_DIFFER for other ones`, async () => {
      const address = { type: 'server', name: 'acme/x' } as const;
      await publish(actor, serverOf('acme/x'), ACME);
      expect((await publish(actor, serverOf('acme/x', '1.1.0'))).claims).to.deep.equal(ACME);
      expect((await publish(actor, serverOf('acme/x', '1.1.1'), {})).claims).to.deep.equal(ACME);
      const refused = await refusal(publish(actor, serverOf('acme/x', '1.2.0'), { org: 'other' }));
      expect(refused.code).to.equal('ERR_CLAIMS_DIFFER');
      await bench.admin.setEntryClaims(actor, address, { org: 'other' });
      await publish(actor, serverOf('acme/x', '1.2.0'), { org: 'other' });
      expect(new Set((await claimsOf()).map(([, claims]) => JSON.stringify(claims)))).to.deep.equal(
        new Set(['{"org":"other"}']),
      );
    });

    it(`publish › in ${who}, names the claims command when the entry has no claims`, async () => {
      await publish(actor, serverOf('acme/x'));
      const refused = await refusal(publish(actor, serverOf('acme/x', '1.1.0'), ACME));
      expect(refused.code).to.equal('ERR_CLAIMS_DIFFER');
      expect(refused.message).to.equal('Entry "acme/x" has no claims; the new version has some.');
      expect(refused.hint).to.contain('portolan entries claims set server/acme/x --claim KEY=VALUE');
    });
  }

  it('publish › throws ERR_CLAIMS_DIFFER in auth-only mode for other claims', async () => {
    await publish(authOnly, serverOf('acme/x'), ACME);
    expect(await codeOf(publish(authOnly, serverOf('acme/x', '1.1.0'), { org: 'other' }))).to.equal(
      'ERR_CLAIMS_DIFFER',
    );
    expect((await publish(authOnly, serverOf('acme/x', '1.1.0'), ACME)).claims).to.deep.equal(ACME);
  });

  describe('publish, with an empty list in claims', () => {
    const EMPTY = { org: 'acme', sub: [] };
    const holder = holding({ org: 'acme', sub: 'ada' });
    const address = { type: 'server', name: 'acme/x' } as const;

    for (const [who, actor] of [
      ['a caller who holds the claim', holder],
      ['a caller of auth-only mode', authOnly],
    ] as const) {
      it(`throws ERR_CLAIMS_BEYOND_CALLER for ${who}`, async () => {
        await publish(superAdmin, serverOf('acme/x'), ACME);
        const source = gitSource({ claims: EMPTY });
        const attempts: [string, Promise<unknown>][] = [
          ['publish', publish(actor, serverOf('acme/new'), EMPTY)],
          ['claims of an entry', bench.admin.setEntryClaims(actor, address, EMPTY)],
          ['source', bench.admin.putSource(actor, 'wide', source)],
          ['registry', bench.admin.putRegistry(actor, 'wide', { sources: ['mine'], claims: EMPTY })],
        ];
        for (const [what, promise] of attempts) {
          const refused = await refusal(promise);
          expect(refused.code, what).to.equal('ERR_CLAIMS_BEYOND_CALLER');
          expect(refused.message, what).to.contain('"sub" to an empty list');
        }
      });
    }

    it('stores it for a superAdmin, and shows the entry to callers with any value', async () => {
      await publish(superAdmin, serverOf('acme/x'), EMPTY);
      expect((await bench.admin.getEntryClaims(holder, address)).claims).to.deep.equal(EMPTY);
    });
  });

  it('publish › changes no claims when the version is refused', async () => {
    await publish(superAdmin, serverOf('acme/x'), ACME);
    expect(await codeOf(publish(superAdmin, serverOf('acme/x'), { org: 'other' }))).to.equal(
      'ERR_VERSION_EXISTS',
    );
    expect(await claimsOf()).to.deep.equal([['1.0.0', ACME]]);
  });

  for (const [document, expected] of [
    [{ version: '' }, 'version'],
    [{ version: 'latest' }, 'version'],
    [{ version: '^1.0.0' }, 'version'],
    [{ version: '1.0 .0' }, 'version'],
    [{ name: 'a b/c' }, 'name'],
    [{ remotes: [{ type: 'sse', url: 'http://localhost/x' }] }, 'remotes[0].url'],
  ] as const) {
    it(`publish › rejects a server with ${JSON.stringify(document)}, and names the place`, async () => {
      const { code, message } = await refusal(publish(anonymous, serverOf('acme/x', '1.0.0', document)));
      expect(code).to.equal('ERR_DOCUMENT_INVALID');
      expect(message).to.contain(expected);
    });
  }

  it('publish › rejects version strings of skills that no address could have', async () => {
    for (const version of ['', 'latest', '1.x'])
      expect(await codeOf(publish(anonymous, skillOf('acme.tools', 'notes', version)))).to.equal(
        'ERR_DOCUMENT_INVALID',
      );
    expect((await publish(anonymous, skillOf('acme.tools', 'notes'))).name).to.equal('acme.tools/notes');
  });

  describe('publish, the source', () => {
    const other = holding({ org: 'other' });
    const two = holding({ org: ['acme', 'other'] });
    const to = (source: string | undefined, name = 'acme/x') => ({ ...serverOf(name), source });

    beforeEach(async () => {
      await bench.admin.putSource(superAdmin, 'theirs', managedSource({ claims: { org: 'other' } }));
      await bench.admin.putSource(superAdmin, 'docs', gitSource({ claims: { org: 'acme' } }));
    });

    it('is the only one that the caller can see', async () => {
      expect((await publish(acme, to(undefined), ACME)).source).to.equal('mine');
      expect((await publish(other, to(undefined), { org: 'other' })).source).to.equal('theirs');
    });

    it('must be named when several are visible, and the error lists only those', async () => {
      await bench.admin.putSource(superAdmin, 'third', managedSource({ claims: { org: 'third' } }));
      const { code, message } = await refusal(publish(two, to(undefined), ACME));
      expect(code).to.equal('ERR_SOURCE_AMBIGUOUS');
      expect(message).to.contain('"mine", "theirs"').and.not.contain('third');
      expect((await publish(two, to('theirs'), ACME)).source).to.equal('theirs');
    });

    it('is refused when it is unknown, not managed, or hidden', async () => {
      expect(await codeOf(publish(acme, to('nowhere'), ACME))).to.equal('ERR_SOURCE_UNKNOWN');
      expect(await codeOf(publish(acme, to('docs'), ACME))).to.equal('ERR_SOURCE_NOT_MANAGED');
      expect(await codeOf(publish(acme, to('theirs'), ACME))).to.equal('ERR_SOURCE_FORBIDDEN');
      const third = holding({ org: 'third' });
      expect(await codeOf(publish(third, to(undefined), { org: 'third' }))).to.equal('ERR_SOURCE_FORBIDDEN');
    });

    it('is missing when no source accepts publications', async () => {
      await bench.admin.deleteRegistry(superAdmin, 'main');
      for (const name of ['mine', 'theirs']) await bench.admin.deleteSource(superAdmin, name);
      expect(await codeOf(publish(acme, to(undefined), ACME))).to.equal('ERR_NO_MANAGED_SOURCE');
    });

    it('is the named source, or the only one, for every caller whose claims are not checked', async () => {
      for (const [at, [, actor]] of UNCHECKED.entries()) {
        expect(await codeOf(publish(actor, to(undefined), ACME))).to.equal('ERR_SOURCE_AMBIGUOUS');
        expect((await publish(actor, to('theirs', `acme/x${at}`), ACME)).source).to.equal('theirs');
      }
    });
  });

  describe('publish, remotes', () => {
    const url = 'https://notes.acme.example/mcp';
    const remotes = {
      remotes: [
        { type: 'sse', url: 'https://else.acme.example' },
        { type: 'streamable-http', url },
      ],
    };
    const at = (name: string, version = '1.0.0') => serverOf(name, version, remotes);

    it('belong to one server, whose versions may repeat them', async () => {
      await publish(acme, at('acme/x'), ACME);
      await publish(acme, at('acme/x', '1.1.0'), ACME);
      const { code, message } = await refusal(publish(acme, at('acme/y'), ACME));
      expect(code).to.equal('ERR_DOCUMENT_INVALID');
      expect(message).to.contain('remotes[1].url').and.contain(url).and.contain('acme/x');
      const issues = await bench.admin.validate(acme, 'server', at('acme/yy').document);
      expect(issues.map(({ path, severity, reference }) => [path, severity, reference])).to.deep.equal([
        ['remotes[0].url', 'error', 'remote-unique'],
        ['remotes[1].url', 'error', 'remote-unique'],
      ]);
    });

    it('are compared only with those of entries that the publisher can see', async () => {
      await publish(superAdmin, at('acme/hidden'), { org: 'other' });
      await publish(acme, at('acme/x'), ACME);
      expect(
        await bench.admin.validate(holding({ org: 'third' }), 'server', at('acme/zz').document),
      ).to.deep.equal([]);
      expect(await bench.admin.validate(nobody, 'server', at('acme/zz').document)).to.deep.equal([]);
    });

    it('are free again when their server is deleted or withdrawn', async () => {
      await publish(acme, at('acme/x'), ACME);
      await bench.admin.setStatus(acme, { type: 'server', name: 'acme/x' }, { status: 'deleted' });
      await publish(acme, at('acme/y'), ACME);
      await bench.admin.deleteVersion(acme, { type: 'server', name: 'acme/y' }, '1.0.0');
      await publish(acme, at('acme/z'), ACME);
    });
  });

  it('validate › returns problems and warnings, and stores nothing', async () => {
    const issues = await bench.admin.validate(anonymous, 'server', {
      ...serverOf('a/b').document,
      title: ' ',
    });
    expect(issues.map(({ severity }) => severity)).to.include.members(['error', 'warning']);
    expect(await bench.admin.validate(anonymous, 'server', serverOf('acme/xx').document)).to.deep.equal([]);
    expect(await bench.admin.validate(anonymous, 'skill', null)).to.not.deep.equal([]);
    expect(await bench.rows()).to.deep.equal([]);
  });

  it('publish › does not copy the claims of the source to the entry', async () => {
    await publish(acme, serverOf('acme/x'), { team: 'eng' });
    await bench.admin.putSource(superAdmin, 'mine', managedSource({ claims: { org: 'new' } }));
    expect(await claimsOf()).to.deep.equal([['1.0.0', { team: 'eng' }]]);
  });

  it('publish › does not treat an entry of a synced source as its own', async () => {
    const { source } = await bench.admin.putSource(superAdmin, 'docs', gitSource({ claims: ACME }));
    await fill(bench.store, source.id, [{ name: 'acme/x', version: '1.0.0' }]);
    expect((await publish(acme, serverOf('acme/x'), { team: 'eng' })).source).to.equal('mine');
  });

  it('publish › throws when the revision of the request is outdated', async () => {
    await publish(acme, serverOf('acme/x'), ACME, { ifAbsent: true });
    expect(await codeOf(publish(acme, serverOf('acme/x', '1.1.0'), ACME, { ifAbsent: true }))).to.equal(
      'ERR_REVISION_CHANGED',
    );
    expect(await codeOf(publish(acme, serverOf('acme/x', '1.1.0'), ACME, { ifMatch: ['x'] }))).to.equal(
      'ERR_REVISION_CHANGED',
    );
    expect(await codeOf(publish(acme, serverOf('acme/x', '1.1.0'), ACME, { ifMatch: '*' }))).to.equal('none');
  });
});
