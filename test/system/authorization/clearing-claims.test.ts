import { expect } from 'chai';
import { onSharedServers } from './on-shared-servers.ts';
import { entryPath, newName } from './person.ts';

for (const mode of ['full', 'auth-only', 'anonymous'] as const)
  onSharedServers(`clearing the claims of an entry, ${mode}`, mode, (scene) => {
    const admin = () => (mode === 'auth-only' ? scene().person({ sub: 'ada' }) : scene().admin);

    it('PUT …/claims › responds 400 to a body without the key `claims` or with a misspelt key, and changes nothing', async () => {
      const name = newName();
      expect((await admin().publish(name, { org: 'acme' })).status).to.equal(201);
      const claims = `${entryPath(name)}/claims?source=published`;
      for (const body of [{}, { claim: { org: 'other' } }, { claims: null }, { claims: {}, Claims: {} }]) {
        const answer = await admin().send('PUT', claims, body);
        expect(answer.status, JSON.stringify(body)).to.equal(400);
        expect(answer.json()['code']).to.equal('ERR_BODY_INVALID');
      }
      expect((await admin().must('GET', claims)).json()['claims']).to.deep.equal({ org: 'acme' });
      expect(await admin().asks('PUT', claims, { claims: {} })).to.equal(204);
      expect((await admin().must('GET', claims)).json()['claims']).to.deep.equal({});
    });
  });
