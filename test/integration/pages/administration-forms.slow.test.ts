import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import {
  AdminWorld,
  type AdminVisitor,
  type CallerName,
  CATALOGUE,
  hiddenField,
  serverDocument,
  wrongFields,
} from '../../support/pages/admin-world.ts';

const claim = (name: string, value: string, at = 0) => ({
  [`claims.${at}.name`]: name,
  [`claims.${at}.value`]: value,
});
const ACME = claim('org', 'acme');
const CLAIMS = 'the claims';

describe('management forms', function () {
  this.timeout(180_000);
  let world: AdminWorld;
  let admin: AdminVisitor;
  let sources: AdminVisitor;
  before(async () => {
    world = await AdminWorld.open();
    admin = world.visitor('admin');
    sources = world.visitor('sources');
  });
  after(() => world?.close());

  const stored = async (path: string) =>
    JSON.parse((await world.api('admin', 'GET', path)).text) as Record<string, unknown>;
  const statusOf = async (path: string) => (await world.api('admin', 'GET', path)).status;

  describe('for a source', () => {
    it('creates a source and redirects to its page', async () => {
      const fields = {
        kind: 'file',
        name: 'notes',
        'block.data': CATALOGUE,
        interval: '30m',
        'filter.names.include': 'com.acme/*\n\n com.other/* ',
        ...ACME,
        ...claim('team', 'data', 1),
        ...claim('team', 'platform', 2),
      };
      const shown = await admin.send('/manage/new-source', fields);
      expect([shown.status, shown.location]).to.deep.equal([303, '/manage/sources/notes?done=source-made']);
      const { sourceConfig, filterConfig, syncSchedule, claims } = await stored('/v1/sources/notes');
      expect({ sourceConfig, filterConfig, syncSchedule, claims }).to.deep.equal({
        sourceConfig: { data: CATALOGUE },
        filterConfig: { names: { include: ['com.acme/*', 'com.other/*'] } },
        syncSchedule: '30m0s',
        claims: { org: 'acme', team: ['data', 'platform'] },
      });
      expect((await admin.see(shown.location ?? '')).text).to.include('The source is made.');
    });

    it('returns the input with every problem at its field', async () => {
      const fields = {
        kind: 'git',
        name: 'broken',
        'block.repository': 'https://127.0.0.1/x.git',
        'block.branch': 'main',
        'block.tag': 'v1',
        'block.auth.username': 'ada',
        interval: 'soon',
        ...claim('org', ''),
      };
      const unread = await sources.send('/manage/new-source', fields);
      expect(unread.status).to.equal(400);
      expect(unread.text)
        .to.include('The claim &quot;org&quot; has no value.')
        .and.include('value="https://127.0.0.1/x.git"')
        .and.include('value="ada"');
      const half = await sources.send('/manage/new-source', { ...fields, ...ACME });
      expect([half.status, wrongFields(half.text)]).to.deep.equal([
        400,
        ['block.auth.passwordFile', 'interval'],
      ]);
      const { 'block.auth.username': _, ...readable } = fields;
      const refused = await sources.send('/manage/new-source', { ...readable, ...ACME });
      expect(refused.status).to.equal(400);
      expect(wrongFields(refused.text)).to.include.members(['block.repository', 'interval']);
      expect(refused.text).to.include('value="soon"').and.include('value="main"');
      expect(await statusOf('/v1/sources/broken')).to.equal(404);
      // An invalid name hides no other problem.
      for (const name of ['', 'No such name!']) {
        const { text } = await sources.send('/manage/new-source', { ...readable, ...ACME, name });
        expect(wrongFields(text), name).to.include.members(['name', 'block.repository', 'interval']);
        const alone = await sources.send('/manage/new-source', { kind: 'managed', ...ACME, name });
        expect([alone.status, wrongFields(alone.text)], name).to.deep.equal([400, ['name']]);
      }
      expect(await statusOf('/v1/sources/another-name')).to.equal(404);
    });

    it('reports claims beyond the caller at the claims, and a taken name at the name', async () => {
      const fields = { kind: 'managed', name: 'theirs', ...claim('org', 'other') };
      const beyond = await sources.send('/manage/new-source', fields);
      expect(beyond.status).to.equal(403);
      expect(beyond.text).to.match(/<fieldset class="claims-editor field-wrong">/);
      const taken = await sources.send('/manage/new-source', { ...fields, ...ACME, name: 's-mine' });
      expect(wrongFields(taken.text)).to.deep.equal(['name']);
      expect(taken.text).to.include('Choose another name.');
      const unnamed = await sources.send('/manage/new-source', { ...fields, ...ACME, name: ' ' });
      expect([unnamed.status, wrongFields(unnamed.text)]).to.deep.equal([400, ['name']]);
    });

    it('omits input that may be a secret from the form that it shows again', async () => {
      const secret = 's3cr3t-value';
      const fields = {
        kind: 'api',
        name: 'hush',
        'block.endpoint': 'https://registry.example/x',
        'block.auth.token': secret,
        'block.headers': `X-Api-Key: ${secret}`,
        ...ACME,
      };
      const refused = await sources.send('/manage/new-source', fields);
      expect(refused.status).to.equal(400);
      expect(wrongFields(refused.text)).to.include.members(['block.auth.token', 'block.headers']);
      expect(refused.text).not.to.include(secret);
      const address = await sources.send('/manage/new-source', {
        kind: 'file',
        name: 'hush',
        'block.url': `https://ada:${secret}@files.example/x.json`,
        interval: '1h',
        ...ACME,
      });
      expect(wrongFields(address.text)).to.include('block.url');
      expect(address.text).not.to.include(secret);
    });

    it('adds empty rows for claims on request, without saving', async () => {
      const shown = await sources.send('/manage/new-source', {
        kind: 'managed',
        name: 'rows',
        action: 'rows',
        ...ACME,
      });
      expect(shown.status).to.equal(200);
      expect(shown.text).to.include('name="claims.2.name"').and.include('value="acme"');
      expect(await statusOf('/v1/sources/rows')).to.equal(404);
    });

    it('changes a source, and reports a conflict with an older revision', async () => {
      const page = await admin.see('/manage/sources/s-made/edit');
      const revision = hiddenField(page.text, 'revision');
      expect(page.text).to.include('value="1h0m0s"');
      const fields = { kind: 'file', 'block.data': CATALOGUE, interval: '2h', ...ACME, revision };
      const saved = await admin.send('/manage/sources/s-made/edit', fields);
      expect(saved.location).to.equal('/manage/sources/s-made?done=source-changed');
      expect(await stored('/v1/sources/s-made')).to.include({ syncSchedule: '2h0m0s' });
      const late = await admin.send('/manage/sources/s-made/edit', { ...fields, interval: '3h' });
      expect(late.status).to.equal(412);
      expect(late.text).to.include('Somebody has changed this').and.include('value="3h"');
      expect(await stored('/v1/sources/s-made')).to.include({ syncSchedule: '2h0m0s' });
      const again = await admin.send('/manage/sources/s-made/edit', {
        ...fields,
        interval: '3h',
        revision: hiddenField(late.text, 'revision'),
      });
      expect(again.status).to.equal(303);
    });

    it('rejects a revision that is not one entity tag', async () => {
      for (const revision of ['"x"\r\nX-Evil: 1', '*', '"a", "b"']) {
        const fields = { kind: 'file', 'block.data': CATALOGUE, interval: '9h', ...ACME, revision };
        expect((await admin.send('/manage/sources/s-made/edit', fields)).status, revision).to.equal(412);
      }
    });

    it('reports that a source of the configuration file can be changed only there', async () => {
      const shown = await admin.send('/manage/sources/s-mine/edit', { kind: 'managed', ...ACME });
      expect(shown.status).to.equal(403);
      expect(shown.text).to.include('comes from the configuration file');
      expect((await admin.see('/manage/sources/s-mine')).text).not.to.include('/manage/sources/s-mine/edit');
    });

    it('starts a sync and says where to see its outcome', async () => {
      const shown = await sources.send('/manage/sources/s-made/sync', { full: 'yes' });
      expect(shown.location).to.equal('/manage/sources/s-made?done=sync-due');
    });

    it('shows skipped entries with the reason', async () => {
      await world.registry.firstSync('s-made');
      const { text } = await sources.see('/manage/sources/s-made');
      expect(text)
        .to.include('Entries that were left out')
        .and.include('spoilt')
        .and.match(/expected a namespace/);
    });

    it('removes an unlisted source, and names the registries that list another one', async () => {
      await world.registry.send('PUT', '/v1/sources/listed', { managed: {}, claims: { org: 'acme' } });
      await world.registry.send('PUT', '/v1/registries/lister', {
        sources: ['listed'],
        claims: { org: 'acme' },
      });
      const page = await admin.see('/manage/sources/listed/remove');
      const fields = { revision: hiddenField(page.text, 'revision') };
      const kept = await admin.send('/manage/sources/listed/remove', fields);
      expect(kept.status).to.equal(409);
      expect(kept.text).to.include('lister');
      await world.registry.send('DELETE', '/v1/registries/lister');
      expect((await admin.send('/manage/sources/listed/remove', fields)).location).to.equal(
        '/manage/sources?done=source-removed',
      );
      expect(await statusOf('/v1/sources/listed')).to.equal(404);
    });
  });

  describe('for a registry', () => {
    it('creates, changes and removes a registry', async () => {
      const visitor = world.visitor('registries');
      const made = await visitor.send('/manage/new-registry', {
        name: 'tools',
        sources: 's-mine\n',
        ...ACME,
      });
      expect(made.location).to.equal('/manage/registries/tools?done=registry-made');
      const page = await visitor.see('/manage/registries/tools/edit');
      const revision = hiddenField(page.text, 'revision');
      const changed = await visitor.send('/manage/registries/tools/edit', {
        sources: 's-made\ns-mine',
        ...ACME,
        revision,
      });
      expect(changed.location).to.equal('/manage/registries/tools?done=registry-changed');
      expect(await stored('/v1/registries/tools')).to.deep.include({ sources: ['s-made', 's-mine'] });
      const removed = await visitor.send('/manage/registries/tools/remove', {});
      expect(removed.location).to.equal('/manage/registries?done=registry-removed');
    });

    const refused = [
      { title: 'an unknown source', fields: { sources: 's-absent' }, wrong: ['sources'] },
      { title: 'a hidden source', fields: { sources: 's-foreign' }, wrong: ['sources'] },
      { title: 'no source', fields: { sources: ' ' }, wrong: ['sources'] },
      { title: 'an invalid name', fields: { name: '-x-', sources: 's-mine' }, wrong: ['name'] },
      { title: 'a taken name', fields: { name: 'r-main', sources: 's-mine' }, wrong: ['name'] },
      // One problem does not hide another.
      ...['', '-x-', 'No such name!', 'r-main'].map((name) => ({
        title: `the name "${name}" and an unknown source`,
        fields: { name, sources: 's-absent' },
        wrong: ['name', 'sources'],
      })),
      { title: 'neither name nor source', fields: { name: ' ', sources: '' }, wrong: ['name', 'sources'] },
      ...['broken', '-x-', 'r-main'].map((name) => ({
        title: `claims without a value, a hidden source and the name "${name}"`,
        fields: { name, sources: 's-foreign', ...claim('org', '') },
        wrong: [...(name === 'broken' ? [] : ['name']), 'sources', CLAIMS],
      })),
      {
        title: 'claims beyond the caller and unusable sources',
        fields: { sources: 's-absent\ns-foreign', ...claim('org', 'other') },
        wrong: ['sources', CLAIMS],
      },
    ];
    for (const { title, fields, wrong } of refused) {
      it(`returns the input for ${title}, with the problem at its field`, async () => {
        const shown = await world
          .visitor('registries')
          .send('/manage/new-registry', { name: 'broken', ...ACME, ...fields });
        expect(shown.status).to.be.within(400, 412);
        const claimsToo = /<fieldset class="claims-editor field-wrong">/.test(shown.text) ? [CLAIMS] : [];
        expect([...wrongFields(shown.text), ...claimsToo]).to.deep.equal(wrong);
        expect(await statusOf('/v1/registries/broken')).to.equal(404);
      });
    }

    it('creates no registry from the edit form of a removed one', async () => {
      const shown = await world
        .visitor('registries')
        .send('/manage/registries/gone/edit', { sources: 's-mine', ...ACME });
      expect(shown.status).to.equal(404);
      expect(await statusOf('/v1/registries/gone')).to.equal(404);
    });
  });

  describe('for a publication', () => {
    const fields = (document: unknown, action: string) => ({
      action,
      type: 'server',
      source: 's-mine',
      document: typeof document === 'string' ? document : JSON.stringify(document),
      ...ACME,
    });

    it('checks a document without publishing it, and publishes it', async () => {
      const visitor = world.visitor('entries');
      const document = serverDocument('com.acme/fresh');
      const tried = await visitor.send('/manage/publish', fields(document, 'check'));
      expect(tried.status).to.equal(200);
      expect(tried.text)
        .to.include('com.acme/fresh 1.0.0 can be published to s-mine')
        .and.include('Nothing is wrong with the document.');
      expect(await statusOf('/v1/entries/server/com.acme%2Ffresh')).to.equal(404);
      const published = await visitor.send('/manage/publish', fields(document, 'publish'));
      expect(published.location).to.equal(
        '/manage/entries/server/com.acme%2Ffresh?source=s-mine&done=published',
      );
      expect((await visitor.see(published.location ?? '')).text).to.include('The version is published.');
      const again = await visitor.send('/manage/publish', fields(document, 'publish'));
      expect([again.status, wrongFields(again.text)]).to.deep.equal([409, ['document']]);
    });

    it('returns the input with every problem of the document', async () => {
      const shown = await world
        .visitor('entries')
        .send(
          '/manage/publish',
          fields({ ...serverDocument('com.acme/late'), version: 'latest', description: '' }, 'publish'),
        );
      expect(shown.status).to.equal(400);
      expect(shown.text).to.include('<code>version</code>').and.include('<code>description</code>');
      expect(shown.text).to.include('com.acme/late');
      expect(wrongFields(shown.text)).to.deep.equal(['document']);
      expect(shown.text).to.include('2 things are wrong with it:');
    });

    const refused = [
      { title: 'invalid JSON', change: { document: '{' }, wrong: ['document'] },
      { title: 'JSON that is not an object', change: { document: '[]' }, wrong: ['document'] },
      { title: 'an unknown source', change: { source: 's-absent' }, wrong: ['source'] },
      { title: 'a hidden source', change: { source: 's-foreign' }, wrong: ['source'] },
    ];
    for (const { title, change, wrong } of refused) {
      it(`reports at its field: ${title}`, async () => {
        const shown = await world
          .visitor('entries')
          .send('/manage/publish', { ...fields(serverDocument('com.acme/never'), 'publish'), ...change });
        expect(wrongFields(shown.text)).to.deep.equal(wrong);
      });
    }

    it('reports missing claims and claims beyond the caller at the claims', async () => {
      for (const claims of [claim('org', 'other'), claim('', '')]) {
        const shown = await world
          .visitor('entries')
          .send('/manage/publish', { ...fields(serverDocument('com.acme/never'), 'publish'), ...claims });
        expect(shown.status).to.be.oneOf([400, 403]);
        expect(shown.text, JSON.stringify(claims)).to.include('claims-editor field-wrong');
      }
    });

    it('checks the document while the user types, and escapes markup', async () => {
      const visitor = world.visitor('entries');
      const { status, text } = await visitor.send(
        '/manage/publish/check',
        fields({ name: '<img src=x onerror=alert(1)>' }, ''),
      );
      expect(status).to.equal(200);
      expect(text)
        .to.match(/^<div id="findings-list">/)
        .and.not.include('<img');
      expect((await visitor.send('/manage/publish/check', fields('{', ''))).text).to.include(
        'This is not JSON',
      );
    });
  });

  describe('for an entry', () => {
    const ENTRY = '/manage/entries/server/com.acme%2Fmine';
    const entry = async () => await stored('/v1/entries/server/com.acme%2Fmine');

    it('changes the status, and reports an unknown version', async () => {
      const visitor = world.visitor('entries');
      const shown = await visitor.send(ENTRY, {
        action: 'status',
        version: '1.0.0',
        status: 'deprecated',
        statusMessage: 'Use another',
      });
      expect(shown.location).to.equal(`${ENTRY}?done=status-changed`);
      expect(await entry()).to.have.nested.property('versions[0].statusMessage', 'Use another');
      const again = await visitor.send(ENTRY, {
        action: 'status',
        version: '1.0.0',
        status: 'deprecated',
        statusMessage: 'Use another',
      });
      expect([again.status, wrongFields(again.text)]).to.deep.equal([400, ['status']]);
      const unsaid = await visitor.send(ENTRY, { action: 'status' });
      expect([unsaid.status, wrongFields(unsaid.text)]).to.deep.equal([400, ['version', 'status']]);
      const all = { action: 'status', version: '*', status: 'active' };
      expect((await visitor.send(ENTRY, all)).status).to.equal(303);
    });

    it('names the required role to callers without it', async () => {
      const { status, text } = await world.visitor('reader').see(ENTRY);
      expect(status).to.equal(403);
      expect(text).to.include('requires the role manageEntries');
    });

    it('changes the claims within those of the caller', async () => {
      const visitor = world.visitor('entries');
      const beyond = await visitor.send(ENTRY, { action: 'claims', ...claim('org', 'other') });
      expect(beyond.status).to.equal(403);
      expect(beyond.text).to.include('claims-editor field-wrong').and.include('value="other"');
      const unread = await visitor.send(ENTRY, { action: 'claims', ...claim('', 'acme') });
      expect(unread.status).to.equal(400);
      const page = await visitor.see(ENTRY);
      const shown = await visitor.send(ENTRY, {
        action: 'claims',
        ...ACME,
        ...claim('role', 'entries', 1),
        revision: hiddenField(page.text, 'revision'),
      });
      expect(shown.status).to.equal(303);
      expect(await entry()).to.deep.include({ claims: { org: 'acme', role: 'entries' } });
      const late = await admin.send(ENTRY, {
        action: 'claims',
        ...ACME,
        revision: hiddenField(page.text, 'revision'),
      });
      expect(late.status).to.equal(412);
    });

    it('removes a version only after confirmation, and redirects away from a removed entry', async () => {
      await world.registry.send('POST', '/v1/entries?source=s-mine', {
        server: serverDocument('com.acme/gone'),
        claims: { org: 'acme' },
      });
      const gone = '/manage/entries/server/com.acme%2Fgone';
      const visitor = world.visitor('entries');
      for (const fields of [{ removed: '1.0.0' }, { sure: 'yes' }]) {
        const shown = await visitor.send(gone, { action: 'remove', ...fields });
        expect([shown.status, wrongFields(shown.text)]).to.deep.equal([400, ['removed']]);
      }
      const shown = await visitor.send(gone, { action: 'remove', removed: '1.0.0', sure: 'yes' });
      expect(shown.location).to.equal('/manage/entries?done=version-removed');
    });
  });

  it('N9 › entry page › shows the login as the first command on a registry that requires a token', async () => {
    const { text } = await world.visitor('reader').see('/browse/r-main/servers/com.acme/mine');
    const { url } = world.registry;
    expect(text.replaceAll(/<[^>]*>/g, '')).to.include(
      `portolan registry login ${url}\nportolan config set-registry ${url}/registry/r-main`,
    );
  });

  describe('for explanations', () => {
    it('N9 › tells callers without a field for claims what they can do', async () => {
      const hint = 'Only a superAdmin can ask with claims instead.';
      const form = (await world.visitor('reader').see('/manage/explain')).text;
      expect(form).to.include(hint).and.not.include('name="claims"');
      const own = (await admin.see('/manage/explain')).text;
      expect(own).to.include('name="claims"').and.not.include(hint);
    });

    it('N9 › audit page › names callers without a token anonymous', async () => {
      await world.api('nobody', 'GET', '/v1/me');
      const { text } = await admin.see('/manage/audit');
      expect(text).to.include('anonymous').and.not.include('nobody');
    });

    it('prints the explanation of the API', async () => {
      const shown = await world
        .visitor('reader')
        .send('/manage/explain', { registry: 'r-main', type: 'server', name: 'com.acme/sound' });
      expect(shown.status).to.equal(200);
      expect(shown.text)
        .to.include('Registry r-main')
        .and.include('No entry of this name is there for the caller.');
    });

    it('N8 › names the source that skipped an entry to those who may see its report', async () => {
      const ask = async (caller: CallerName, registry: string) => {
        const fields = { registry, type: 'server', name: 'spoilt' };
        return (await world.visitor(caller).send('/manage/explain', fields)).text;
      };
      const definition = { sources: ['s-made'], claims: { org: 'acme' } };
      expect((await world.api('admin', 'PUT', '/v1/registries/r-left', definition)).status).to.equal(201);
      await eventually(async () => {
        const { text } = await world.api('admin', 'GET', '/v1/sources/s-made');
        expect(text).to.include('"skippedCount":1');
      });
      const link = '<a href="/manage/sources/s-made">s-made</a> left it out: ';
      expect(await ask('admin', 'r-left'))
        .to.include(link)
        .and.include('data.servers[1] (spoilt)');
      expect(await ask('sources', 'r-left')).to.include(link);
      // According to its definition, the registry does not contain this source.
      expect(await ask('admin', 'r-main')).not.to.include('s-made');
      for (const caller of ['reader', 'registries', 'entries', 'abroad'] as const)
        expect(await ask(caller, 'r-left'), caller)
          .not.to.include('left it out')
          .and.not.include('s-made');
      const pageOf = async (caller: CallerName) =>
        await world.visitor(caller).see('/browse/r-left/servers/-/spoilt');
      expect((await pageOf('admin')).text).to.include(link);
      expect((await pageOf('sources')).text).to.include(link);
      for (const caller of ['reader', 'registries', 'abroad'] as const) {
        const { status, text } = await pageOf(caller);
        expect([400, 403, 404], caller).to.include(status);
        expect(text, caller).not.to.include('s-made');
      }
      expect((await world.api('admin', 'DELETE', '/v1/registries/r-left')).status).to.equal(204);
    });

    it('explains access for the holder of a pasted token, and shows the token nowhere', async () => {
      const token = world.issuer.sign({ sub: 'bo', org: 'other' });
      const shown = await admin.send('/manage/explain', { registry: 'r-foreign', token });
      expect(shown.status).to.equal(200);
      expect(shown.text).to.include('<dd>bo</dd>').and.include('open').and.not.include(token);
      const bad = await admin.send('/manage/explain', { token: `${token}x` });
      expect([bad.status, wrongFields(bad.text)]).to.deep.equal([400, ['token']]);
      expect(bad.text).not.to.include(token);
      const { text } = await world.api('admin', 'GET', '/v1/audit/events?limit=1000');
      expect(text).not.to.include(token);
    });

    it('explains access for given claims to superAdmins only', async () => {
      const fields = { registry: 'r-main', claims: JSON.stringify({ sub: 'bo', org: 'other' }) };
      expect((await admin.send('/manage/explain', fields)).text)
        .to.include('<dd>bo</dd>')
        .and.include('closed');
      const refused = await world.visitor('reader').send('/manage/explain', fields);
      expect(refused.status).to.equal(403);
      expect(refused.text).not.to.include('<dd>bo</dd>');
    });

    const wrong = [
      { title: 'claims that are invalid JSON', fields: { claims: '{' }, field: 'claims' },
      { title: 'claims and a token', fields: { claims: '{}', token: 'a.b.c' }, field: 'token' },
      { title: 'a token with a prefix', fields: { token: 'Bearer a.b.c' }, field: 'token' },
      { title: 'a token with a line break', fields: { token: 'a.b\r\nX-Evil: 1' }, field: 'token' },
      { title: 'an entry without a registry', fields: { name: 'com.acme/notes' }, field: 'registry' },
      { title: 'an unknown registry', fields: { registry: 'nowhere' }, field: 'registry' },
    ];
    for (const { title, fields, field } of wrong) {
      it(`reports at its field: ${title}`, async () => {
        expect(wrongFields((await admin.send('/manage/explain', fields)).text)).to.deep.equal([field]);
      });
    }
  });

  it('audit page › shows the last requests with their callers, filtered by path and outcome', async () => {
    await world.api('entries', 'GET', '/v1/sources/only-here');
    const { text } = await admin.see('/manage/audit?path=only-here&outcome=denied');
    // Optional line breaks are not part of a path.
    expect(text.replaceAll('<wbr/>', ''))
      .to.include('From the memory of this replica alone')
      .and.include('GET /v1/sources/only-here')
      .and.include('source.read');
    expect((await admin.see('/manage/audit?path=only-here&outcome=success')).text).to.include(
      'There is no such request in memory.',
    );
    expect((await admin.see('/manage/audit?outcome=nonsense')).status).to.equal(400);
  });

  const posts = [
    '/manage/new-source',
    '/manage/sources/s-made/edit',
    '/manage/sources/s-made/remove',
    '/manage/sources/s-made/sync',
    '/manage/new-registry',
    '/manage/registries/r-made/edit',
    '/manage/registries/r-made/remove',
    '/manage/publish',
    '/manage/publish/check',
    '/manage/entries/server/com.acme%2Fmine',
    '/manage/explain',
  ];
  for (const path of posts) {
    it(`${path} › rejects a form from another site or without a CSRF token`, async () => {
      const csrf = hiddenField((await admin.see('/manage/explain')).text, 'csrf');
      const forged = [
        await admin.forge(path, {}),
        await admin.forge(path, { csrf: 'x' }),
        await admin.forge(path, { csrf }, { 'sec-fetch-site': 'cross-site' }),
        await admin.forge(path, { csrf }, { origin: 'https://evil.example' }),
      ];
      expect(forged.map(({ status }) => status)).to.deep.equal([403, 403, 403, 403]);
      expect(await statusOf('/v1/sources/s-made')).to.equal(200);
      expect(await statusOf('/v1/registries/r-made')).to.equal(200);
    });
  }

  it('show no message text that the URL contains', async () => {
    const { text } = await admin.see('/manage/sources?done=%3Cscript%3Ealert(1)%3C/script%3E');
    expect(text).not.to.include('alert(1)');
    expect((await admin.see('/manage/sources?done=toString')).text).not.to.include('class="note"');
  });
});
