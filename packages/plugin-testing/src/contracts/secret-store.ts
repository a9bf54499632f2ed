import {
  isPortolanError,
  type SecretAbility,
  type SecretStore,
  type SecretStoreContext,
  type SecretStoreKind,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { MemorySecretFiles } from '../memory-secret-files.ts';
import { createTestContext } from '../test-context.ts';
import { type ContractCase, registerContract, rejectionOf } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';

export function secretStoreContract(options: SecretStoreUnderTest): void {
  registerContract(`secret store contract: ${options.name}`, secretStoreCases(options));
}

export interface SecretStoreUnderTest {
  readonly name: string;
  readonly kind: SecretStoreKind;
  readonly blocks?: readonly unknown[];
  /**
   * Creates an instance with in-memory files, an empty environment and a simulated user who knows the
   * password. All instances of one test share these.
   */
  readonly create: (context: SecretStoreContext) => SecretStore | Promise<SecretStore>;
  /** Secrets that exist before the test. At least one for a kind without `set`. */
  readonly present?: Readonly<Record<string, string>>;
  /** Valid secret names for a kind with `set`. Default: plain words. */
  readonly names?: readonly [string, string];
  readonly badNames?: readonly string[];
  /** Whether the user's password unlocks the store. */
  readonly locks?: boolean;
  readonly withinMs?: number;
}

interface StoreContext {
  readonly files: MemorySecretFiles;
  readonly open: (change?: Partial<SecretStoreContext>) => Promise<SecretStore>;
}

const PASSWORD = 'correct horse battery staple';

/** Runs an action and closes the instance. Fails when a resource stays open. */
async function useSecretStore(
  options: SecretStoreUnderTest,
  action: (store: SecretStore, around: StoreContext) => Promise<void>,
): Promise<void> {
  const { withinMs = 40_000 } = options;
  await leavesNothingOpen(async () => {
    const files = new MemorySecretFiles();
    const opened: SecretStore[] = [];
    const open: StoreContext['open'] = async (change) => {
      const context = { ...createTestContext(), environment: {}, files, askPassword: async () => PASSWORD };
      const store = await options.create({ ...context, ...change });
      opened.push(store);
      return store;
    };
    try {
      await inTime('the end of the test', action(await open(), { files, open }), { withinMs });
    } finally {
      for (const store of opened) await store.close?.();
    }
  }, options);
}

const ABILITIES: readonly SecretAbility[] = ['set', 'delete', 'list'];

export function secretStoreCases(options: SecretStoreUnderTest): readonly ContractCase[] {
  const { kind, present = {}, names = ['one', 'two'], badNames = [] } = options;
  const { can } = kind;
  return [
    ...kindCases(kind, options.blocks),
    {
      title: 'declares the functions of its stores, which have exactly those',
      run: () =>
        useSecretStore(options, async (store) => {
          expect(ABILITIES).to.include.members([...can]);
          for (const ability of ABILITIES) {
            expect(typeof store[ability], ability).to.equal(can.includes(ability) ? 'function' : 'undefined');
          }
        }),
    },
    {
      title: 'finds existing secrets, and nothing under another name',
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
      title: 'refuses an invalid name with a code and a hint',
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
      title: 'can be closed twice, even when unused',
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
    title: 'lists names in order, without values',
    run: () =>
      useSecretStore(options, async (store) => {
        const { present = {} } = options;
        const listed = (await store.list?.()) ?? [];
        const matches = listed.map(({ name }) => name);
        expect(matches).to.deep.equal(matches.toSorted());
        expect(matches).to.include.members(Object.keys(present));
        for (const value of Object.values(present)) expect(JSON.stringify(listed)).to.not.include(value);
      }),
  };
}

function lockingCases(options: SecretStoreUnderTest, name: string): readonly ContractCase[] {
  const isLocked = async (pending: Promise<unknown> | undefined): Promise<void> => {
    expect(await rejectionOf(pending ?? Promise.resolve())).to.include({ code: 'ERR_SECRET_STORE_LOCKED' });
  };
  return [
    {
      title: 'reports that it is locked when there is no user to ask',
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
      title: 'reveals nothing for a wrong password',
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

// Stores must treat a property with the value undefined like a missing one.
const withoutPerson = { askPassword: undefined } as unknown as { askPassword: () => Promise<string> };

const VALUES = [
  'k-7f3a9c',
  ' with spaces around ',
  'two\nlines\n',
  'Grüße 世界 🗝',
  '{"json": "$HOME ${HOME} %s"}',
  'x'.repeat(20_000),
];

function keepingCases(options: SecretStoreUnderTest): readonly ContractCase[] {
  const { names: [one, other] = ['one', 'two'], kind } = options;
  return [
    {
      title: 'stores every value unchanged, replaces the previous one, and shows it to other instances',
      run: () =>
        useSecretStore(options, async (store, { open }) => {
          for (const value of VALUES) {
            await store.set?.(one, value);
            expect(await store.find(one)).to.equal(value);
          }
          expect(await (await open()).find(one)).to.equal(VALUES.at(-1));
        }),
    },
    {
      title: 'keeps all values that are set concurrently',
      run: () =>
        useSecretStore(options, async (store, { open }) => {
          const second = await open();
          await Promise.all([store.set?.(one, 'first'), second.set?.(other, 'second')]);
          const third = await open();
          expect([await third.find(one), await third.find(other)]).to.deep.equal(['first', 'second']);
        }),
    },
    {
      title: 'writes no value in plain text',
      run: () =>
        useSecretStore(options, async (store, { files }) => {
          await store.set?.(one, 'a-value-to-look-for');
          for (const [file, content] of files.files) {
            expect(Buffer.from(content).toString('latin1'), file).to.not.include('a-value-to-look-for');
          }
        }),
    },
    ...(kind.can.includes('list')
      ? [
          {
            title: 'lists the stored names',
            run: () =>
              useSecretStore(options, async (store) => {
                await store.set?.(other, '2');
                await store.set?.(one, '1');
                const listed = (await store.list?.()) ?? [];
                expect(listed.map(({ name }) => name)).to.include.members([one, other]);
              }),
          },
        ]
      : []),
    ...(kind.can.includes('delete')
      ? [
          {
            title: 'deletes a secret once, and no other',
            run: () =>
              useSecretStore(options, async (store) => {
                await store.set?.(one, '1');
                await store.set?.(other, '2');
                expect(await store.delete?.(one)).to.equal(true);
                expect(await store.delete?.(one)).to.equal(false);
                expect([await store.find(one), await store.find(other)]).to.deep.equal([undefined, '2']);
              }),
          },
        ]
      : []),
  ];
}
