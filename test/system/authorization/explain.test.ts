import { expect } from 'chai';
import type { Json } from '../../support/registry-under-test.ts';
import { onEachEngine } from './on-each-engine.ts';
import { onSharedServers } from './on-shared-servers.ts';
import { newName, type Person } from './person.ts';

const CONFIG: Json = {
  sources: [
    { name: 'published', managed: {}, claims: { org: 'acme' } },
    { name: 'second', managed: {}, claims: { org: 'acme' } },
  ],
  registries: [
    { name: 'main', sources: ['published', 'second'], claims: { org: 'acme' } },
    { name: 'team', sources: ['published'], claims: { org: 'acme', team: 'top-secret' } },
  ],
};

interface Key {
  readonly key: string;
  readonly required: readonly string[] | null;
  readonly held: readonly string[] | null;
  readonly matches: boolean;
}

interface Decision {
  readonly allowed: boolean;
  readonly because: string;
  readonly sentence: string;
  readonly keys: readonly Key[];
}

interface Explanation {
  readonly mode: string;
  readonly caller: {
    readonly subject: string;
    readonly provider?: string;
    readonly roles: readonly string[];
  } | null;
  readonly roles: readonly {
    readonly role: string;
    readonly held: boolean;
    readonly grantedBy: number | null;
  }[];
  readonly registry?: Decision & { readonly name: string };
  readonly entry?: {
    readonly shown: boolean;
    readonly shownFrom: string | null;
    readonly sentence: string;
    readonly sources: readonly (Decision & { readonly source: string })[];
  };
}

const PATH = '/v1/authz/explain';

onEachEngine('POST /v1/authz/explain', { mode: 'full', config: CONFIG }, (scene) => {
  const explain = async (who: Person, body: Json): Promise<Explanation> =>
    (await who.must('POST', PATH, body)).json<Explanation>();
  const about = (name: string, registry = 'main', more: Json = {}): Json => ({
    registry,
    entry: { type: 'server', name },
    ...more,
  });

  it('POST /v1/authz/explain › returns the caller, the provider, and the rule behind each role', async () => {
    const answer = await explain(scene().person({ sub: 'ada', role: 'entries' }), {});
    expect(answer.mode).to.equal('full');
    expect(answer.caller).to.deep.include({ subject: 'ada', provider: 'test', roles: ['manageEntries'] });
    expect(answer.roles.map(({ role, held, grantedBy }) => [role, held, grantedBy])).to.deep.equal([
      ['superAdmin', false, null],
      ['manageSources', false, null],
      ['manageRegistries', false, null],
      ['manageEntries', true, 0],
    ]);
  });

  it('POST /v1/authz/explain › shows required and held values of each key, with the decision of the other endpoints', async () => {
    const { person, admin } = scene();
    const name = await admin.published({ org: 'acme', team: ['eng', 'data'] });
    const caller = person({ org: 'acme', team: ['eng', 'hr'] });
    const { registry, entry } = await explain(caller, about(name));
    expect(registry).to.deep.include({ name: 'main', allowed: true, because: 'claims' });
    expect(registry?.keys).to.deep.equal([{ key: 'org', required: ['acme'], held: ['acme'], matches: true }]);
    expect(entry).to.deep.include({ shown: true, shownFrom: null });
    const keys = entry?.sources[0]?.keys.toSorted((one, two) => (one.key < two.key ? -1 : 1));
    expect(keys).to.deep.equal([
      { key: 'org', required: ['acme'], held: ['acme'], matches: true },
      { key: 'team', required: ['eng'], held: ['eng', 'hr'], matches: true },
    ]);
  });

  it('POST /v1/authz/explain › names the missing key of a closed registry, but not its value', async () => {
    const answer = await scene().person({ org: 'acme' }).must('POST', PATH, { registry: 'team' });
    const { registry } = answer.json<Explanation>();
    expect(registry).to.deep.include({ allowed: false, because: 'claims-missing' });
    expect(registry?.keys.find(({ key }) => key === 'team')).to.deep.equal({
      key: 'team',
      required: null,
      held: null,
      matches: false,
    });
    expect(answer.text).to.not.include('top-secret');
  });

  it('POST /v1/authz/explain › describes a hidden entry like an absent one', async () => {
    const { person, admin } = scene();
    const caller = person({ org: 'acme' });
    const told = async (name: string): Promise<string> =>
      (await caller.must('POST', PATH, about(name))).text.replaceAll(name, 'NAME');
    const absent = await told(newName());
    expect(await told(await admin.published({ org: 'acme', team: 'ops' }))).to.equal(absent);
    expect(await told(await admin.published({ org: 'other' }))).to.equal(absent);
    expect(await told(await admin.published(undefined))).to.equal(absent);
  });

  it('POST /v1/authz/explain › describes only the sources that show the entry to the caller', async () => {
    const { person, admin } = scene();
    const name = newName();
    await admin.publish(name, { team: 'ops' }, { source: 'published' });
    await admin.publish(name, { org: 'acme' }, { source: 'second' });
    const own = await explain(person({ org: 'acme' }), about(name));
    expect(own.entry?.sources.map(({ source }) => source)).to.deep.equal([null]);
    const manager = await explain(person({ org: 'acme', role: 'registries' }), about(name));
    expect(manager.entry?.shownFrom).to.equal('second');
    expect(manager.entry?.sources.map(({ source }) => source)).to.deep.equal(['second']);
    const whole = await explain(admin, about(name, 'main', { caller: { claims: { org: 'acme' } } }));
    expect(whole.entry?.shownFrom).to.equal('second');
    expect(whole.entry?.sources.map(({ source, allowed }) => [source, allowed])).to.deep.equal([
      ['published', false],
      ['second', true],
    ]);
  });

  it('POST /v1/authz/explain › describes no entry of a closed registry', async () => {
    const { person, admin } = scene();
    const name = await admin.published({ org: 'acme' });
    const caller = person({ org: 'acme' });
    const of = async (entry: string): Promise<string> =>
      (await caller.must('POST', PATH, about(entry, 'team'))).text.replaceAll(entry, 'NAME');
    expect(await of(name)).to.equal(await of(newName()));
  });

  it('POST /v1/authz/explain › explains any caller completely to a superAdmin', async () => {
    const { admin } = scene();
    const name = await admin.published({ org: 'acme', team: 'ops' });
    const claims = { sub: 'eve', org: 'acme', role: ['entries', 'sources'] };
    const { caller, registry, entry } = await explain(admin, about(name, 'main', { caller: { claims } }));
    expect(caller).to.deep.include({ subject: 'eve', roles: ['manageSources', 'manageEntries'] });
    expect(registry).to.deep.include({ allowed: true });
    expect(entry).to.deep.include({ shownFrom: null });
    expect(entry?.sources[0]).to.deep.include({
      source: 'published',
      allowed: false,
      because: 'claims-missing',
    });
    expect(entry?.sources[0]?.keys.find(({ key }) => key === 'team')).to.deep.equal({
      key: 'team',
      required: ['ops'],
      held: null,
      matches: false,
    });
  });

  it('POST /v1/authz/explain › explains other callers only to a superAdmin', async () => {
    const { person } = scene();
    const body = { registry: 'main', caller: { claims: { org: 'acme', role: 'admin' } } };
    for (const claims of [{}, { role: ['sources', 'registries', 'entries'] }])
      expect(await person(claims).asks('POST', PATH, body)).to.equal(403);
    expect(await person().asks('POST', PATH, {})).to.equal(401);
  });

  it('POST /v1/authz/explain › responds 400 to a malformed question', async () => {
    const { admin } = scene();
    const bad: readonly Json[] = [
      { registry: 5 },
      { registry: 'main', entry: { type: 'thing', name: 'x' } },
      { registry: 'main', entry: { type: 'server' } },
      { entry: { type: 'server', name: 'com.acme/x' } },
      { caller: { claims: 'x' } },
      { surprise: true },
    ];
    for (const body of bad) expect(await admin.asks('POST', PATH, body), JSON.stringify(body)).to.equal(400);
    expect(await admin.asks('POST', PATH, { registry: 'absent' })).to.equal(404);
  });
});

describe('POST /v1/authz/explain in other modes', () => {
  onSharedServers('auth-only', 'auth-only', (scene) => {
    it('auth-only › returns that everything is open, and why', async () => {
      const answer = (await scene().person({}).must('POST', PATH, { registry: 'team' })).json<Explanation>();
      expect(answer).to.deep.include({ mode: 'auth-only' });
      expect(answer.roles.every(({ held }) => held)).to.equal(true);
      expect(answer.registry).to.deep.include({ allowed: true, because: 'auth-only' });
    });
  });
  onSharedServers('anonymous', 'anonymous', (scene) => {
    it('anonymous › returns that no caller is identified and everything is open', async () => {
      const answer = (await scene().person().must('POST', PATH, { registry: 'team' })).json<Explanation>();
      expect(answer).to.deep.include({ mode: 'anonymous', caller: null });
      expect(answer.registry).to.deep.include({ allowed: true, because: 'anonymous' });
    });
  });
});
