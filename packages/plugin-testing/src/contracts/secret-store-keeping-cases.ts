import { expect } from 'chai';
import type { ContractCase } from './contract-case.ts';
import type { SecretStoreUnderTest } from './secret-store-under-test.ts';
import { useSecretStore } from './use-secret-store.ts';

/** Values as people have them, and worse. */
const VALUES = [
  'k-7f3a9c',
  ' with spaces around ',
  'two\nlines\n',
  'Grüße 世界 🗝',
  '{"json": "$HOME ${HOME} %s"}',
  'x'.repeat(20_000),
];

/** What stores promise that can `set`. */
export function keepingCases(options: SecretStoreUnderTest): readonly ContractCase[] {
  const { names: [one, other] = ['one', 'two'], kind } = options;
  return [
    {
      title: 'keeps every value as it is, in place of the one before, also for another instance',
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
      title: 'keeps what several set at once',
      run: () =>
        useSecretStore(options, async (store, { open }) => {
          const second = await open();
          await Promise.all([store.set?.(one, 'first'), second.set?.(other, 'second')]);
          const third = await open();
          expect([await third.find(one), await third.find(other)]).to.deep.equal(['first', 'second']);
        }),
    },
    {
      title: 'writes no value in clear',
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
            title: 'lists what it has kept',
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
