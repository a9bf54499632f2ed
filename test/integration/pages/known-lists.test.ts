import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { serverDocument } from '../../support/pages/admin-world.ts';
import { RegistryInProcess } from '../../support/registry-in-process.ts';

const LISTS = ['servers', 'x/dev.portolan/skills', 'x/dev.portolan/plugins'];
const SKILL = { namespace: 'com.acme', name: 'triage', description: 'Sorts tickets.', version: '1.0.0' };

describe('cache of list counts for pages', () => {
  let registry: RegistryInProcess;
  before(async () => {
    registry = await RegistryInProcess.start({
      pages: { 'web-console': {} },
      sources: [{ name: 'own', managed: {} }],
      registries: [{ name: 'main', sources: ['own'] }],
    });
  });
  after(() => registry.stop());

  const tags = async (): Promise<readonly (string | null)[]> =>
    await Promise.all(
      LISTS.map(async (list) => {
        const answer = await fetch(`${registry.url}/registry/main/v0.1/${list}?version=latest&limit=1`);
        expect(answer.headers.get('portolan-tag-covers')).to.equal('list');
        return answer.headers.get('etag');
      }),
    );
  // Waits until the counts are known: a busy machine may finish them after the first request.
  const counts = async (): Promise<readonly string[]> =>
    await eventually(async () => {
      const answer = await fetch(`${registry.url}/browse/main`, { headers: { accept: 'text/html' } });
      const found = [...(await answer.text()).matchAll(/<span class="count">(\d*)<\/span><\/a>/g)]
        .slice(0, LISTS.length)
        .map(([, count = '']) => count);
      expect(found).to.have.length(LISTS.length).and.not.include('');
      return found;
    });

  it('reads the counts of a registry again after any of its lists has changed', async () => {
    for (const [body, counted] of [
      [{ server: serverDocument('com.acme/notes') }, ['1', '0', '0']],
      [{ skill: SKILL }, ['1', '1', '0']],
      [{ plugin: { ...SKILL, name: 'desk' } }, ['1', '1', '1']],
    ] as const) {
      const before = await tags();
      await counts();
      expect((await registry.send('POST', '/v1/entries', body)).status).to.equal(201);
      const after = await tags();
      for (const [at, list] of LISTS.entries()) expect(after[at], list).to.not.equal(before[at]);
      // Once when the tag is requested again, and once from the cache.
      expect(await counts()).to.deep.equal(counted);
      expect(await counts()).to.deep.equal(counted);
    }
  });
});
