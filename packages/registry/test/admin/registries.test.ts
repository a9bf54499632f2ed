import { expect } from 'chai';
import { PortolanError, type ResourceClaims } from '@portolan/plugin-api';
import type { RegistryDefinition } from '@portolan/registry';
import { describeAdmin } from '../support/admin-suite.ts';
import { codeOf, gitSource, holding, nobody, refusal, superAdmin, UNCHECKED } from '../support/actors.ts';

const acme = holding({ org: 'acme' }, ['manageRegistries']);

describeAdmin('RegistryAdmin: registries', (bench) => {
  beforeEach(async () => {
    for (const [name, claims] of [
      ['a', { org: 'acme' }],
      ['b', { org: 'acme' }],
      ['hidden', { org: 'other' }],
      ['bare', {}],
    ] as const)
      await bench.admin.putSource(superAdmin, name, gitSource({ claims }));
  });

  const put = (
    actor: typeof acme,
    name = 'main',
    sources: string[] = ['b', 'a'],
    claims: ResourceClaims = { org: 'acme' },
    options = {},
  ) => bench.admin.putRegistry(actor, name, { sources, claims }, options);

  it('putRegistry › creates a registry that consumers find with their next query', async () => {
    const { created, registry } = await put(acme);
    expect(created).to.equal(true);
    expect(registry).to.deep.include({
      name: 'main',
      creationType: 'API',
      sources: ['b', 'a'],
      claims: { org: 'acme' },
      publicClaims: undefined,
    });
    expect(await bench.admin.getRegistry(acme, 'main')).to.deep.equal(registry);
    const known = (await bench.reader.catalog()).registries.get('main');
    expect(known).to.deep.include({ sources: ['b', 'a'], claims: { org: 'acme' } });
  });

  it('putRegistry › changes sources, order and claims, each with a new revision and epoch', async () => {
    const marks = async () => {
      const { revision } = await bench.admin.getRegistry(superAdmin, 'main');
      return { revision, epoch: (await bench.reader.catalog()).registries.get('main')?.epoch };
    };
    await put(acme);
    let before = await marks();
    await put(acme, 'main', ['b', 'a'], { org: 'acme' }, { ifMatch: [before.revision] });
    expect(await marks(), 'nothing has changed').to.deep.equal(before);
    for (const [sources, claims] of [
      [['a', 'b'], { org: 'acme' }],
      [['a'], { org: 'acme' }],
      [['a'], { org: 'x' }],
    ] as const) {
      expect((await put(superAdmin, 'main', [...sources], claims)).created).to.equal(false);
      const after = await marks();
      expect(after.revision).to.not.equal(before.revision);
      expect(after.epoch).to.not.equal(before.epoch);
      before = after;
    }
  });

  it('putRegistry › checks in order: file definition, claims of the request, hidden registry, unknown sources, hidden sources, revision', async () => {
    await put(superAdmin, 'far', ['a'], { org: 'other' });
    await put(superAdmin, 'bare-one', ['a'], {});
    await put(acme);
    const stale = { ifMatch: ['stale'] };
    for (const name of ['new', 'far', 'main'])
      expect(await codeOf(put(acme, name, ['x'], { org: 'other' }, stale))).to.equal(
        'ERR_CLAIMS_BEYOND_CALLER',
      );
    for (const name of ['far', 'bare-one'])
      expect(await codeOf(put(acme, name, ['x'], { org: 'acme' }, stale))).to.equal('ERR_REGISTRY_NOT_FOUND');
    await bench.store.writing
      .updateTable('registry')
      .set({ creation_type: 'CONFIG' })
      .where('name', '=', 'main')
      .execute();
    expect(await codeOf(put(acme, 'main', ['x'], { org: 'acme' }, stale))).to.equal('ERR_MADE_BY_FILE');
    expect(await codeOf(put(acme, 'main', ['x'], { org: 'other' }, stale))).to.equal('ERR_MADE_BY_FILE');
    expect(await codeOf(bench.admin.deleteRegistry(acme, 'main', stale))).to.equal('ERR_MADE_BY_FILE');
    await bench.store.writing.updateTable('registry').set({ creation_type: 'API' }).execute();
    for (const options of [{}, stale]) {
      const unknown = put(acme, 'main', ['hidden', 'x'], { org: 'acme' }, options);
      expect(await codeOf(unknown)).to.equal('ERR_SOURCE_UNKNOWN');
    }
    expect(await codeOf(put(acme, 'main', ['a'], { org: 'acme' }, stale))).to.equal('ERR_REVISION_CHANGED');
    expect(await codeOf(put(acme, 'main', ['a', 'hidden']))).to.equal('ERR_SOURCE_FORBIDDEN');
    expect(await codeOf(put(acme, 'main', ['bare']))).to.equal('ERR_SOURCE_FORBIDDEN');
    expect(await codeOf(put(acme, 'new', ['a'], { org: 'acme' }, { ifMatch: '*' }))).to.equal(
      'ERR_REGISTRY_NOT_FOUND',
    );
    for (const [, actor] of UNCHECKED)
      expect(await codeOf(put(actor, 'any', ['hidden', 'bare'], {}))).to.equal('none');
  });

  it('putRegistry › reports every problem of claims and sources at once, each with its place', async () => {
    const error: unknown = await put(acme, 'new', ['x', 'hidden'], { org: 'other' }).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.have.property('code', 'ERR_CLAIMS_BEYOND_CALLER');
    expect(error)
      .to.have.property('issues')
      .that.deep.equals([
        {
          path: 'claims',
          message: 'The request sets claims that you do not hold, or not with these values: "org".',
          hint: 'Set only claims that you hold yourself, with every value of a list.',
        },
        {
          path: 'sources',
          message: 'There is no source "x".',
          hint: 'Create the source first, or correct its name.',
        },
        {
          path: 'sources',
          message: 'Your claims do not let you use source "hidden".',
          hint: 'Ask the operator of the registry for the required claims.',
        },
      ]);
    // What is wrong with it counts before the state it is for.
    expect(await codeOf(put(acme, 'new', ['x'], { org: 'acme' }, { ifMatch: '*' }))).to.equal(
      'ERR_SOURCE_UNKNOWN',
    );
  });

  it('putRegistry › adds its problems to an earlier error, which stays first', async () => {
    await put(superAdmin, 'far', ['a'], { org: 'other' });
    await put(acme);
    const fault = new PortolanError('ERR_BODY_INVALID', 'mistake', 'It is bad.', { hint: 'Mend it.' });
    const refused = async (name: string, more: Partial<RegistryDefinition>, options = {}) =>
      await bench.admin
        .refuseRegistry(acme, name, { fault, ...more }, options)
        .catch((reason: unknown) => reason);
    expect(await refused('new', { claims: { org: 'acme' } })).to.equal(fault);
    expect(await refused('far', { claims: { org: 'acme' } })).to.equal(fault);
    expect(await refused('main', {}, { ifMatch: ['stale'] })).to.equal(fault);
    const told = await refused('main', { sources: ['x'], claims: { org: 'other' } }, { ifAbsent: true });
    expect(told)
      .to.include({ code: 'ERR_BODY_INVALID', class: 'mistake', cause: fault })
      .and.have.property('issues')
      .that.satisfies((issues: readonly { path: string }[]) =>
        expect(issues.map(({ path }) => path)).to.deep.equal(['', 'claims', 'sources', 'name']),
      );
    expect(told)
      .to.have.property('hint')
      .that.matches(/^Mend it\. /);
    expect(fault).to.include({ message: 'It is bad.', hint: 'Mend it.' }).and.not.have.property('issues');
  });

  it('getRegistry and listRegistries › hide registries of other claims', async () => {
    await put(superAdmin, 'one');
    await put(superAdmin, 'two', ['a'], { org: 'other' });
    await put(superAdmin, 'three', ['a'], {});
    const names = async (actor: typeof acme) =>
      (await bench.admin.listRegistries(actor)).map(({ name }) => name);
    expect(await names(acme)).to.deep.equal(['one']);
    expect(await names(nobody)).to.deep.equal([]);
    for (const [, actor] of UNCHECKED) expect(await names(actor)).to.deep.equal(['one', 'three', 'two']);
    const absent = await refusal(bench.admin.getRegistry(acme, 'zzz'));
    const hidden = await refusal(bench.admin.getRegistry(acme, 'two'));
    expect(hidden).to.deep.equal({ ...absent, message: absent.message.replace('zzz', 'two') });
    expect(await codeOf(bench.admin.deleteRegistry(acme, 'two'))).to.equal('ERR_REGISTRY_NOT_FOUND');
  });

  it('deleteRegistry › does not delete the sources of the registry', async () => {
    await put(acme);
    await bench.admin.deleteRegistry(acme, 'main');
    expect((await bench.reader.catalog()).registries.size).to.equal(0);
    expect((await bench.admin.listSources(superAdmin)).length).to.equal(4);
    expect(await codeOf(bench.admin.deleteRegistry(acme, 'main'))).to.equal('ERR_REGISTRY_NOT_FOUND');
  });
});
