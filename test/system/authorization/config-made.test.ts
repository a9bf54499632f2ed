import { expect } from 'chai';
import { inlineSource, type Json, serverDocument } from '../../support/registry-under-test.ts';
import { eventually } from '@portolan/plugin-testing';
import { onEachEngine } from './on-each-engine.ts';
import { newLabel } from './person.ts';

const { syncPolicy: _, ...inline } = inlineSource('inline', { org: 'acme' }, [
  serverDocument('com.acme/inline'),
]);
const CONFIG: Json = {
  sources: [inline, { name: 'published', managed: {}, claims: { org: 'acme' } }],
  registries: [{ name: 'main', sources: ['inline', 'published'], claims: { org: 'acme' } }],
};

onEachEngine('sources of the file, and inline ones', { mode: 'full', config: CONFIG }, (scene) => {
  const member = () => scene().person({ org: 'acme', role: 'sources' });
  const listed = async (name: string) =>
    await eventually(async () => {
      const names = await scene().admin.listed();
      expect(names).to.include(name);
    });

  it('a source with inline data in the configuration › needs no syncPolicy and is listed at once', async () => {
    await listed('com.acme/inline');
  });

  it('a source with inline data through the API › needs no syncPolicy', async () => {
    const name = newLabel();
    const {
      name: _name,
      syncPolicy: _policy,
      ...body
    } = inlineSource(name, { org: 'acme' }, [serverDocument('com.acme/by-api')]);
    expect(await scene().admin.asks('PUT', `/v1/sources/${name}`, body)).to.equal(201);
    await scene().admin.must('PUT', `/v1/registries/${name}`, { sources: [name], claims: { org: 'acme' } });
    await eventually(async () => {
      expect(await scene().admin.listed(name)).to.deep.equal(['com.acme/by-api']);
    });
  });

  it('PUT of a resource of the configuration file › responds ERR_MADE_BY_FILE even to an invalid body', async () => {
    for (const [who, path, body] of [
      [member(), '/v1/sources/published', { file: { path: '/etc/passwd' } }],
      [member(), '/v1/sources/published', { nonsense: true }],
      [scene().admin, '/v1/registries/main', { sources: [], nonsense: true }],
    ] as const) {
      const answer = await who.send('PUT', path, body);
      expect(answer.status, `${path} ${answer.text}`).to.equal(403);
      expect(answer.json()['code']).to.equal('ERR_MADE_BY_FILE');
    }
  });

  it('PUT of a hidden resource of the configuration file › responds as to an absent one', async () => {
    const stranger = scene().person({ org: 'other', role: 'sources' });
    for (const body of [{ nonsense: true }, { managed: {}, claims: { org: 'acme' } }]) {
      const hidden = await stranger.send('PUT', '/v1/sources/published', body);
      const absent = await stranger.send('PUT', '/v1/sources/nowhere', body);
      expect(hidden.status).to.equal(absent.status);
      expect(hidden.json()['code']).to.equal(absent.json()['code']);
    }
  });
});
