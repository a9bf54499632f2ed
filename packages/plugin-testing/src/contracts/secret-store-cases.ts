import type { SecretAbility, SecretStore } from '@portolan/plugin-api';
import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { ContractCase } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';
import { keepingCases } from './secret-store-keeping-cases.ts';
import { rejectionOf } from './helpful-error.ts';
import type { SecretStoreUnderTest } from './secret-store-under-test.ts';
import { useSecretStore } from './use-secret-store.ts';

const ABILITIES: readonly SecretAbility[] = ['set', 'delete', 'list'];

/** What a secret store kind promises; see `SecretStore` in `@portolan/plugin-api`. */
export function secretStoreCases(options: SecretStoreUnderTest): readonly ContractCase[] {
  const { kind, present = {}, names = ['one', 'two'], badNames = [] } = options;
  const { can } = kind;
  return [
    ...kindCases(kind, options.blocks),
    {
      title: 'says what its stores can do, and they have the functions for it and no others',
      run: () =>
        useSecretStore(options, async (store) => {
          expect(ABILITIES).to.include.members([...can]);
          for (const ability of ABILITIES) {
            expect(typeof store[ability], ability).to.equal(can.includes(ability) ? 'function' : 'undefined');
          }
        }),
    },
    {
      title: 'finds the secrets that are there, and nothing under another name',
      run: () =>
        useSecretStore(options, async (store) => {
          if (!can.includes('set')) expect(present, 'secrets to look for').to.not.deep.equal({});
          for (const [name, value] of Object.entries(present)) {
            expect(await store.find(name), name).to.equal(value);
          }
          for (const name of names) {
            if (!Object.hasOwn(present, name)) expect(await store.find(name), name).to.equal(undefined);
          }
        }),
    },
    {
      title: 'refuses a name that no secret can have, with a code and a hint',
      run: () =>
        useSecretStore(options, async (store) => {
          for (const name of badNames) {
            const error = await rejectionOf(store.find(name));
            expect(isPortolanError(error) && error.hint !== undefined, JSON.stringify(name)).to.equal(true);
          }
        }),
    },
    ...(can.includes('list') ? [listingCase(options)] : []),
    ...(can.includes('set') ? keepingCases(options) : []),
    ...(options.locks === true ? lockingCases(options, names[0]) : []),
    {
      title: 'may be closed twice, without being asked anything',
      run: () =>
        useSecretStore(options, async (store) => {
          await store.close?.();
          await store.close?.();
        }),
    },
  ];
}

function listingCase(options: SecretStoreUnderTest): ContractCase {
  return {
    title: 'lists names in order, and never a value',
    run: () =>
      useSecretStore(options, async (store) => {
        const { present = {} } = options;
        const listed = (await store.list?.()) ?? [];
        const found = listed.map(({ name }) => name);
        expect(found).to.deep.equal(found.toSorted());
        expect(found).to.include.members(Object.keys(present));
        for (const value of Object.values(present)) expect(JSON.stringify(listed)).to.not.include(value);
      }),
  };
}

/** Nobody can be asked, so that there is no key. */
function lockingCases(options: SecretStoreUnderTest, name: string): readonly ContractCase[] {
  const isLocked = async (pending: Promise<unknown> | undefined): Promise<void> => {
    expect(await rejectionOf(pending ?? Promise.resolve())).to.include({ code: 'ERR_SECRET_STORE_LOCKED' });
  };
  return [
    {
      title: 'says that it is locked where nobody can be asked',
      run: () =>
        useSecretStore(options, async (store, { open }) => {
          await store.set?.(name, 'kept');
          const locked: SecretStore = await open(withoutPerson);
          await isLocked(locked.find(name));
          await isLocked(locked.set?.(name, 'other'));
          expect(await store.find(name)).to.equal('kept');
        }),
    },
    {
      title: 'tells nothing of its secrets to whoever has another password',
      run: () =>
        useSecretStore(options, async (store, { open }) => {
          await store.set?.(name, 'kept-from-others');
          const other = await open({ askPassword: async () => 'another password' });
          const error = await rejectionOf(other.find(name));
          expect(error).to.be.instanceOf(Error);
          expect(String(error)).to.not.include('kept-from-others').and.not.include('another password');
        }),
    },
  ];
}

// An optional function that is there, but undefined, is there for nobody.
const withoutPerson = { askPassword: undefined } as unknown as { askPassword: () => Promise<string> };
