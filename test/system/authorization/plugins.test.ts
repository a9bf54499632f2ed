import path from 'node:path';
import { expect } from 'chai';
import { inlineSource, type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onEachEngine } from './on-each-engine.ts';
import { entryPath, newLabel, newName, type Person, readPath } from './person.ts';

const CONFIG: Json = {
  plugins: [path.join(import.meta.dirname, 'plugins/policy-plugin.ts')],
  sources: [
    { name: 'published', managed: {}, claims: { org: 'acme' } },
    { name: 'abroad', managed: {}, claims: { org: 'other' } },
    inlineSource('below', { org: 'acme' }, [serverDocument('com.acme/below')]),
  ],
  registries: [{ name: 'main', sources: ['published', 'below'], claims: { org: 'acme' } }],
};

onEachEngine('plugins and claims together', { mode: 'full', config: CONFIG }, (scene) => {
  const caller = (more: Json = {}): Person => scene().person({ org: 'acme', team: 'eng', ...more });
  const publisher = (): Person => caller({ role: 'entries' });

  describe('hook resolveRoles', () => {
    it('adds a role, effective from the same request', async () => {
      const onCall = caller({ onCall: 'yes' });
      expect(await onCall.roles()).to.deep.equal(['manageEntries']);
      expect((await onCall.publish(newName(), { org: 'acme' })).status).to.equal(201);
      expect((await caller().publish(newName(), { org: 'acme' })).status).to.equal(403);
    });

    it('removes roles, including superAdmin and all that it grants', async () => {
      const { person, admin } = scene();
      const hidden = await admin.published({ org: 'other' });
      const suspended = person({ org: 'acme', role: ['admin', 'sources'], suspended: 'yes' });
      expect(await suspended.roles()).to.deep.equal([]);
      expect(await suspended.asks('GET', '/v1/sources')).to.equal(403);
      expect(await suspended.asks('GET', readPath(hidden))).to.equal(404);
      expect(await suspended.listed()).to.not.include(hidden);
      expect(await admin.listed()).to.include(hidden);
    });

    it('runs before the rules with no roles and adds to theirs, or after the rules with all roles', async () => {
      const early = caller({ role: 'entries', early: 'yes' });
      expect(await early.roles()).to.deep.equal(['manageSources', 'manageEntries']);
      const suspended = caller({ role: 'entries', early: 'yes', suspended: 'yes' });
      expect(await suspended.roles()).to.deep.equal([]);
    });

    it('changes roles, not claims: a hidden entry stays hidden', async () => {
      const hidden = await scene().admin.published({ org: 'other' });
      const onCall = caller({ onCall: 'yes' });
      expect(await onCall.asks('DELETE', `${entryPath(hidden)}/versions/1.0.0`)).to.equal(404);
      expect((await onCall.publish(newName(), { org: 'other' })).status).to.equal(403);
    });

    it('refuses the request without a reason when the hook throws', async () => {
      const broken = scene().person({ sub: 'broken', role: 'admin', org: 'acme' });
      for (const target of ['/v1/me', '/v1/sources', '/registry/main/v0.1/servers', '/registry']) {
        const answer = await broken.get(target);
        expect(answer.status, target).to.equal(500);
        expect(answer.json()['code'], target).to.equal('ERR_PLUGIN_HOOK');
        expect(answer.text, target).to.not.include('directory');
      }
    });
  });

  describe('hook filterEntries', () => {
    const draft = async (claims: Json): Promise<string> => {
      return await scene().admin.published(claims, { document: { title: 'Draft' } });
    };
    const everyPath = async (who: Person, name: string): Promise<readonly number[]> => {
      const paths = [readPath(name, '', 'main').slice(0, -1), readPath(name), readPath(name, '1.0.0')];
      return await Promise.all(paths.map((target) => who.asks('GET', target)));
    };

    it('hides entries on every path after the claims filter', async () => {
      const name = await draft({ org: 'acme' });
      expect(await caller().listed()).to.not.include(name);
      expect(await everyPath(caller(), name)).to.deep.equal([404, 404, 404]);
      const reviewer = caller({ sees: 'drafts' });
      expect(await reviewer.listed()).to.include(name);
      expect(await everyPath(reviewer, name)).to.deep.equal([200, 200, 200]);
    });

    it('shows no entry that claims hide', async () => {
      const name = await draft({ org: 'other' });
      const reviewer = caller({ sees: 'drafts' });
      expect(await reviewer.listed()).to.not.include(name);
      expect(await everyPath(reviewer, name)).to.deep.equal([404, 404, 404]);
    });

    it('applies to a superAdmin and to the admin lists', async () => {
      const { admin, person } = scene();
      const name = await draft({ org: 'acme' });
      const reviewer = person({ role: 'admin', sees: 'drafts' });
      expect(await admin.listed()).to.not.include(name);
      for (const parent of ['/v1/sources/published', '/v1/registries/main']) {
        const names = async (who: Person) => (await who.rawEntries(parent)).map((row) => row.name);
        expect(await names(admin), parent).to.not.include(name);
        expect(await names(reviewer), parent).to.include(name);
      }
    });

    it('hides the name completely, without a fallback to an entry of a lower source', async () => {
      const { admin } = scene();
      const name = 'com.acme/below';
      await admin.awaits(name);
      expect(await everyPath(caller(), name)).to.deep.equal([200, 200, 200]);
      await admin.publish(name, { org: 'acme' }, { document: { title: 'Draft' } });
      expect(await everyPath(caller(), name)).to.deep.equal([404, 404, 404]);
      expect(await caller().listed()).to.not.include(name);
      await admin.must('DELETE', `${entryPath(name)}/versions/1.0.0`);
      expect(await everyPath(caller(), name)).to.deep.equal([200, 200, 200]);
    });

    it('fills pages to their size', async () => {
      const { admin } = scene();
      const registry = newLabel();
      const source = newLabel();
      await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims: { org: 'acme' } });
      await admin.must('PUT', `/v1/registries/${registry}`, { sources: [source], claims: { org: 'acme' } });
      const shown: string[] = [];
      for (let at = 0; at < 12; at += 1) {
        const name = `com.acme/${source}-${String(at).padStart(2, '0')}`;
        const document = at % 3 === 0 ? {} : { title: 'Draft' };
        await admin.publish(name, { org: 'acme' }, { source, document });
        if (at % 3 === 0) shown.push(name);
      }
      expect(await caller().pages(registry, 3)).to.deep.equal([shown.slice(0, 3), shown.slice(3)]);
    });

    it('keeps separate pages for two callers with the same claims', async () => {
      const name = await draft({ org: 'acme' });
      for (let round = 0; round < 3; round += 1) {
        expect(await caller({ sees: 'drafts' }).listed()).to.include(name);
        expect(await caller().listed()).to.not.include(name);
      }
    });
  });

  describe('hook beforePublish', () => {
    // `undefined` means a request without claims, so the parameter has no default.
    const publish = async (description: string, ...given: readonly [claims?: unknown]) => {
      const [claims] = given.length === 0 ? [{ org: 'acme' }] : given;
      const name = newName();
      return { name, answer: await publisher().publish(name, claims, { document: { description } }) };
    };

    it('may change the publication, and the checks see the change', async () => {
      const { name, answer } = await publish('label own');
      expect(answer.status, answer.text).to.equal(201);
      const claims = (await publisher().must('GET', `${entryPath(name)}/claims`)).json();
      expect(claims).to.deep.equal({ claims: { org: 'acme', team: 'eng' } });
    });

    it('may set claims for a publisher without claims', async () => {
      expect((await publish('label own', undefined)).answer.status).to.equal(201);
    });

    it('responds ERR_PLUGIN_HOOK with the name of the plugin and without the text of its error', async () => {
      const { answer } = await publish('fail');
      const { code, error } = answer.json();
      expect([answer.status, code, error]).to.deep.equal([
        500,
        'ERR_PLUGIN_HOOK',
        'The plugin "policy-plugin" failed in the hook "beforePublish": it threw an error.',
      ]);
      expect(answer.text).to.not.include('a secret of the plugin');
    });

    it('cannot turn off a check', async () => {
      const table: readonly (readonly [string, number])[] = [
        ['label other', 403],
        ['unlabel', 400],
        ['rename', 400],
        ['move', 403],
        ['late label other', 403],
        ['late unlabel', 400],
        ['late rename', 400],
      ];
      for (const [description, status] of table) {
        const { name, answer } = await publish(description);
        expect(answer.status, `${description}: ${answer.text}`).to.equal(status);
        expect(await scene().admin.asks('GET', readPath(name)), description).to.equal(404);
      }
    });

    it('refuses with a code and a message of its own', async () => {
      const { answer } = await publish('refuse');
      expect(answer.status).to.equal(400);
      expect(answer.json()).to.deep.include({
        code: 'ERR_HOUSE_RULE',
        error: 'The description breaks a rule of the house.',
        hint: 'Describe what it does.',
      });
    });

    it('runs after the rules with a later stage, and only when they permit', async () => {
      const codeOf = async (claims: unknown) => (await publish('late refuse', claims)).answer.json()['code'];
      expect(await codeOf({ org: 'acme' })).to.equal('ERR_LATE_RULE');
      expect(await codeOf({ org: 'other' })).to.equal('ERR_CLAIMS_BEYOND_CALLER');
      expect(await codeOf(null)).to.equal('ERR_CLAIMS_REQUIRED');
    });

    it('refuses the publish without a reason when the hook throws', async () => {
      const { name, answer } = await publish('fail');
      expect(answer.status).to.equal(500);
      expect(answer.text).to.not.include('secret');
      expect(await scene().admin.asks('GET', readPath(name))).to.equal(404);
    });

    it('does not run for a caller without the role', async () => {
      const answer = await caller().publish(
        newName(),
        { org: 'acme' },
        { document: { description: 'refuse' } },
      );
      expect(answer.status).to.equal(403);
    });
  });
});
