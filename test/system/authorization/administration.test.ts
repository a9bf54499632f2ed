import { expect } from 'chai';
import { inlineSource, type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onEachEngine } from './on-each-engine.ts';
import { entryPath, newLabel, newName, type Person, readPath } from './person.ts';

/*
 * Behaviour of the admin API apart from roles and claims: several managed sources, references, entity tags,
 * validation.
 */

const CONFIG: Json = {
  sources: [
    { name: 'published', managed: {}, claims: { org: 'acme' } },
    { name: 'second', managed: {}, claims: { org: 'acme', team: 'eng' } },
    { name: 'abroad', managed: {}, claims: { org: 'other' } },
    inlineSource('catalog', { org: 'acme' }, [serverDocument('com.acme/catalogued')]),
  ],
  registries: [{ name: 'main', sources: ['published', 'second'], claims: { org: 'acme' } }],
};

const ROLES = ['sources', 'registries', 'entries'];
const claims = { org: 'acme' };

onEachEngine('administration', { mode: 'full', config: CONFIG }, (scene) => {
  const manager = (more: Json = {}): Person => scene().person({ org: 'acme', role: ROLES, ...more });
  const post = async (who: Person, query: string, name = newName()) =>
    await who.send('POST', `/v1/entries${query}`, { server: serverDocument(name), claims });

  describe('endpoints with several managed sources', () => {
    it('POST /v1/entries › `?source=` names the source; optional when the caller may use only one', async () => {
      const name = newName();
      const eng = manager({ team: 'eng' });
      expect((await post(manager(), '', name)).status).to.equal(201);
      expect((await post(eng, '?source=second', newName())).status).to.equal(201);
      expect(await sourceOf(name)).to.equal('published');
    });

    it('POST /v1/entries › responds 400 without `?source=` when several fit, and names only sources that the caller may use', async () => {
      const answer = await post(manager({ team: 'eng' }), '');
      expect(answer.status).to.equal(400);
      expect(answer.json()['code']).to.equal('ERR_SOURCE_AMBIGUOUS');
      expect(answer.text).to.include('published').and.include('second').and.not.include('abroad');
    });

    it('POST /v1/entries › responds 400 to an unknown or synced source and 403 to a source whose claims the caller does not have', async () => {
      expect((await post(manager(), '?source=absent')).status).to.equal(400);
      expect((await post(manager(), '?source=catalog')).status).to.equal(400);
      expect((await post(manager(), '?source=abroad')).status).to.equal(403);
      expect((await post(manager(), '?source=second')).status).to.equal(403);
      expect((await post(manager({ org: 'nowhere' }), '')).status).to.equal(403);
    });

    it('an entry in two sources › changes only in the named source, and responds 409 without a name', async () => {
      const { admin } = scene();
      const name = newName();
      for (const source of ['published', 'second']) await admin.publish(name, claims, { source });
      const path = `${entryPath(name)}/claims`;
      const body = { claims: { org: 'acme', team: 'eng' } };
      expect(await admin.asks('PUT', path, body)).to.equal(409);
      expect(await admin.asks('PUT', `${path}?source=second`, body)).to.equal(204);
      expect((await admin.must('GET', `${path}?source=published`)).json()).to.deep.equal({ claims });
      expect((await admin.must('GET', `${path}?source=second`)).json()).to.deep.equal(body);
      // For a caller who does not see one of the two, the response contains its name.
      expect((await manager().must('GET', path)).json()).to.deep.equal({ claims });
    });

    it('a bare skill name of several entries › responds 409; the full name works', async () => {
      const { admin } = scene();
      const label = newLabel();
      for (const namespace of ['com.acme', 'com.other']) {
        const skill = { namespace, name: label, description: 'A skill.', version: '1.0.0' };
        await admin.must('POST', '/v1/entries?source=published', { skill, claims });
      }
      expect(await manager().asks('GET', `${entryPath(label, 'skill')}/claims`)).to.equal(409);
      expect(await manager().asks('GET', `${entryPath(`com.acme/${label}`, 'skill')}/claims`)).to.equal(200);
    });

    const sourceOf = async (name: string): Promise<string | undefined> =>
      (await scene().admin.rawEntries('/v1/registries/main')).find((row) => row.name === name)?.sourceName;
  });

  describe('endpoints for sources and registries', () => {
    it('DELETE /v1/sources › responds 409 while a registry lists the source, and does not name hidden registries', async () => {
      const { admin } = scene();
      const source = newLabel();
      const [seen, hidden] = [newLabel(), `hidden-${newLabel()}`];
      await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims });
      await admin.must('PUT', `/v1/registries/${seen}`, { sources: [source], claims });
      await admin.must('PUT', `/v1/registries/${hidden}`, { sources: [source], claims: { org: 'other' } });
      const refused = await manager().send('DELETE', `/v1/sources/${source}`);
      expect(refused.status).to.equal(409);
      expect(refused.text).to.include(seen).and.not.include(hidden);
      await admin.must('DELETE', `/v1/registries/${seen}`);
      const again = await manager().send('DELETE', `/v1/sources/${source}`);
      expect(again.status).to.equal(409);
      expect(again.text).to.not.include(hidden);
      await admin.must('DELETE', `/v1/registries/${hidden}`);
      expect(await manager().asks('DELETE', `/v1/sources/${source}`)).to.equal(204);
    });

    it('DELETE › of a source deletes its entries; of a registry keeps its sources and their entries', async () => {
      const { admin } = scene();
      const [source, registry] = [newLabel(), newLabel()];
      await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims });
      await admin.must('PUT', `/v1/registries/${registry}`, { sources: [source], claims });
      const name = await admin.published(claims, { source });
      await manager().must('DELETE', `/v1/registries/${registry}`);
      expect(await manager().asks('GET', `/registry/${registry}/v0.1/servers`)).to.equal(404);
      expect((await manager().rawEntries(`/v1/sources/${source}`)).map((row) => row.name)).to.deep.equal([
        name,
      ]);
      await manager().must('DELETE', `/v1/sources/${source}`);
      await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims });
      expect(await manager().rawEntries(`/v1/sources/${source}`)).to.deep.equal([]);
      expect(await admin.asks('GET', `${entryPath(name)}/claims`)).to.equal(404);
    });

    it('PUT /v1/registries › accepts only existing sources, each once, that the caller can see', async () => {
      const put = async (who: Person, sources: unknown): Promise<number> =>
        await who.asks('PUT', `/v1/registries/${newLabel()}`, { sources, claims });
      expect(await put(manager(), ['published', 'catalog'])).to.equal(201);
      expect(await put(manager(), ['published', 'absent'])).to.equal(400);
      expect(await put(manager(), ['published', 'published'])).to.equal(400);
      expect(await put(manager(), [])).to.equal(400);
      expect(await put(manager(), 'published')).to.equal(400);
      expect(await put(manager(), ['published', 'abroad'])).to.equal(403);
      expect(await put(scene().admin, ['published', 'abroad'])).to.equal(201);
    });

    it('PUT /v1/sources › rejects a change of the kind or of the location of the data', async () => {
      const source = `/v1/sources/${newLabel()}`;
      await manager().must('PUT', source, { managed: {}, claims });
      const file = {
        file: { data: '{"version":"1.0.0","data":{"servers":[]}}' },
        syncPolicy: { interval: '1h' },
        claims,
      };
      expect(await manager().asks('PUT', source, file)).to.equal(400);
      const other = `/v1/sources/${newLabel()}`;
      expect(await manager().asks('PUT', other, file)).to.equal(201);
      expect(await manager().asks('PUT', other, { ...file, syncPolicy: { interval: '2h' } })).to.equal(200);
      // The result depends on the body only, so a new read is not necessary.
      expect(await manager().asks('PUT', other, { ...file, syncPolicy: undefined })).to.equal(200);
      const bad: readonly Json[] = [
        { ...file, syncPolicy: { interval: 'often' } },
        { ...file, managed: {} },
        { ...file, surprise: true },
        { claims },
      ];
      for (const body of bad)
        expect(await manager().asks('PUT', other, body), JSON.stringify(body)).to.equal(400);
    });

    it('PUT /v1/sources › rejects files of the server and private addresses', async () => {
      const put = async (file: Json) =>
        await scene().admin.send('PUT', `/v1/sources/${newLabel()}`, {
          file,
          syncPolicy: { interval: '1h' },
          claims,
        });
      expect((await put({ path: '/etc/passwd' })).status).to.equal(400);
      expect((await put({ path: './portolan.config.yaml' })).status).to.equal(400);
      const { issuer } = scene().server;
      const answer = await put({ url: `${issuer.issuerUrl}/catalogue.json` });
      expect(answer.status).to.be.oneOf([201, 400]);
      expect(issuer.requests.some(({ url }) => url.includes('catalogue'))).to.equal(false);
    });

    it('POST /v1/sources/{name}/sync › needs the role and the claims of an update', async () => {
      expect(await manager().asks('POST', '/v1/sources/catalog/sync')).to.equal(202);
      expect(await manager({ org: 'other' }).asks('POST', '/v1/sources/catalog/sync')).to.equal(404);
      expect(await manager({ role: 'entries' }).asks('POST', '/v1/sources/catalog/sync')).to.equal(403);
      expect(await manager().asks('POST', '/v1/sources/absent/sync')).to.equal(404);
    });
  });

  describe('entity tags', () => {
    interface Target {
      readonly path: string;
      readonly body: (at: number) => Json;
      /** Path for DELETE. The default is the same path. */
      readonly removes?: string;
    }
    const targets: Readonly<Record<string, () => Promise<Target>>> = {
      'a source': async () => {
        const path = `/v1/sources/${newLabel()}`;
        const body = (at: number): Json => ({
          managed: {},
          claims: at % 2 === 0 ? claims : { org: 'acme', team: 'eng' },
        });
        await manager().must('PUT', path, body(0));
        return { path, body };
      },
      'a registry': async () => {
        const path = `/v1/registries/${newLabel()}`;
        const body = (at: number): Json => ({
          sources: at % 2 === 0 ? ['published'] : ['published', 'catalog'],
          claims,
        });
        await manager().must('PUT', path, body(0));
        return { path, body };
      },
      'claims of an entry': async () => {
        const name = await manager().published(claims);
        const body = (at: number): Json => ({ claims: at % 2 === 0 ? claims : { org: 'acme', team: 'eng' } });
        return { path: `${entryPath(name)}/claims`, body, removes: `${entryPath(name)}/versions/1.0.0` };
      },
    };

    for (const [what, prepare] of Object.entries(targets)) {
      it(`a change of ${what} with an outdated If-Match › responds 412 and changes nothing`, async () => {
        const { path, body, removes = path } = await prepare();
        const eng = manager({ team: 'eng' });
        const first = (await eng.must('GET', path)).headers.get('etag') ?? '';
        expect(first).to.match(/^"[^"]+"$/);
        const changed = await eng.send('PUT', path, body(1), { 'if-match': first });
        expect(changed.status).to.be.oneOf([200, 204]);
        const second = changed.headers.get('etag') ?? '';
        expect(second)
          .to.match(/^"[^"]+"$/)
          .and.not.equal(first);
        expect((await eng.must('GET', path)).headers.get('etag')).to.equal(second);
        const before = (await eng.must('GET', path)).text;
        expect(await eng.asks('PUT', path, body(2), { 'if-match': first })).to.equal(412);
        expect(await eng.asks('PUT', path, body(2), { 'if-match': `W/${second}` })).to.equal(412);
        expect(await eng.asks('DELETE', removes, undefined, { 'if-match': first })).to.equal(412);
        expect((await eng.must('GET', path)).text).to.equal(before);
        const several = { 'if-match': `"x", ${second}` };
        expect(await eng.asks('PUT', path, body(2), several)).to.be.oneOf([200, 204]);
        const third = (await eng.must('GET', path)).headers.get('etag') ?? '';
        expect(await eng.asks('DELETE', removes, undefined, { 'if-match': third })).to.equal(204);
      });
    }

    it('`If-Match` › responds 404 to a hidden resource as to an absent one', async () => {
      const hidden = `/v1/sources/${newLabel()}`;
      await scene().admin.must('PUT', hidden, { managed: {}, claims: { org: 'other' } });
      const body = { managed: {}, claims };
      for (const path of [hidden, `/v1/sources/${newLabel()}`])
        for (const match of ['*', '"x"'])
          expect(await manager().asks('PUT', path, body, { 'if-match': match }), `${path} ${match}`).to.equal(
            404,
          );
    });

    it('lets one of two concurrent changes of the same state win', async () => {
      const path = `/v1/registries/${newLabel()}`;
      const made = await manager().must('PUT', path, { sources: ['published'], claims });
      const headers = { 'if-match': made.headers.get('etag') ?? '' };
      const statuses = await Promise.all(
        [['catalog'], ['published', 'catalog'], ['catalog', 'published']].map(
          async (sources) => await manager().asks('PUT', path, { sources, claims }, headers),
        ),
      );
      expect(statuses).to.have.members([200, 412, 412]);
    });
  });

  describe('POST /v1/validate', () => {
    interface Validated {
      readonly valid: boolean;
      readonly issues: readonly Readonly<
        Record<'type' | 'path' | 'message' | 'severity' | 'reference', string>
      >[];
    }
    const validate = async (who: Person, body: unknown): Promise<Validated> =>
      (await who.must('POST', '/v1/validate', body)).json<Validated>();

    it('is open to every caller with a token, and returns the problems that publishing would return', async () => {
      const { person } = scene();
      expect(await person().asks('POST', '/v1/validate', {})).to.equal(401);
      const sound = serverDocument(newName());
      expect(await validate(person({}), sound)).to.deep.equal({ valid: true, issues: [] });
      expect(await validate(person({}), { server: sound, claims })).to.deep.include({ valid: true });
    });

    it('names every problem with its place; publishing refuses the same document', async () => {
      const document = {
        ...serverDocument('no-slash', 'latest'),
        description: '',
        remotes: [{ type: 'carrier-pigeon' }],
      };
      const { valid, issues } = await validate(manager(), document);
      expect(valid).to.equal(false);
      const errors = issues.filter(({ severity }) => severity === 'error');
      expect(errors.length).to.be.at.least(3);
      for (const issue of errors) expect(issue).to.include.keys('type', 'path', 'message', 'reference');
      const answer = await manager().send('POST', '/v1/entries?source=published', {
        server: document,
        claims,
      });
      expect(answer.status).to.equal(400);
    });

    it('writes nothing', async () => {
      const name = newName();
      await validate(scene().admin, { server: serverDocument(name), claims });
      expect(await scene().admin.asks('GET', readPath(name))).to.equal(404);
      expect(await scene().admin.asks('GET', `${entryPath(name)}/claims`)).to.equal(404);
    });

    it('reports a remote of another publisher only to callers who can see it', async () => {
      const { admin } = scene();
      const remotes = [{ type: 'streamable-http', url: `https://${newLabel()}.acme.example/mcp` }];
      const hidden = await admin.published({ org: 'other' }, { document: { remotes } });
      const document = serverDocument(newName(), '1.0.0', { remotes });
      expect(await validate(manager(), document)).to.deep.equal({ valid: true, issues: [] });
      const told = await validate(manager({ org: ['acme', 'other'] }), document);
      expect(told.valid).to.equal(false);
      expect(JSON.stringify(told)).to.include(hidden);
    });
  });
});
