import { expect } from 'chai';
import { caught } from '../../../test/support/caught.ts';
import fc from 'fast-check';
import { isPortolanError } from '@portolan/plugin-api';
import { EncryptedStore } from '../src/encrypted-store.ts';
import { encryptedStore } from '../src/encrypted-kind.ts';
import { MemoryFiles, MemoryKeyring, type MemoryOptions, memoryContext } from './support/memory-context.ts';

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'nothing was thrown';
  } catch (error) {
    return isPortolanError(error) ? error.code : String(error);
  }
}

function storeOf(options: MemoryOptions): EncryptedStore {
  return new EncryptedStore(memoryContext(options));
}

/** A file that holds the secret `key`, made with the password `right`. */
async function filledFiles(): Promise<MemoryFiles> {
  const files = new MemoryFiles();
  await storeOf({ files, variable: 'right' }).set('key', 'value of it');
  return files;
}

describe('EncryptedStore', () => {
  it('returns stored values, also to a store that is opened later', async () => {
    const files = await filledFiles();
    const store = storeOf({ files, variable: 'right' });
    await store.set('other', 'ü\n\0');
    expect(await storeOf({ files, variable: 'right' }).find('key')).to.equal('value of it');
    expect(await storeOf({ files, variable: 'right' }).find('other')).to.equal('ü\n\0');
    expect(await store.find('none')).to.equal(undefined);
    expect(await store.list()).to.deep.equal([{ name: 'key' }, { name: 'other' }]);
    expect([await store.delete('key'), await store.delete('key')]).to.deep.equal([true, false]);
    expect(await store.list()).to.deep.equal([{ name: 'other' }]);
  });

  it('contains neither names nor values in plain text, and never the same bytes twice', async () => {
    const files = await filledFiles();
    await storeOf({ files, variable: 'right' }).set('key', 'value of it');
    const [first, second] = files.writes.map((bytes) => Buffer.from(bytes).toString('latin1'));
    expect(first)
      .to.match(/^PORTOLAN-SECRETS/)
      .and.not.match(/key|value|right/);
    expect(second).to.not.equal(first);
    expect(second?.slice(20, 52)).to.equal(first?.slice(20, 52)); // the salt stays, the nonce does not
    expect(second?.slice(52, 64)).to.not.equal(first?.slice(52, 64));
  });

  it('prompts for nothing and writes nothing while there are no secrets', async () => {
    const context = memoryContext();
    const store = new EncryptedStore(context);
    expect(await store.find('key')).to.equal(undefined);
    expect(await store.list()).to.deep.equal([]);
    expect(await store.delete('key')).to.equal(false);
    expect(context.files.writes).to.deep.equal([]);
  });

  it('refuses an empty file on read and write, and names the backup', async () => {
    const context = memoryContext();
    const store = new EncryptedStore(context);
    context.files.contents.set('encrypted', new Uint8Array());
    for (const use of [() => store.find('key'), () => store.list(), () => store.set('key', 'v')]) {
      const error = await caught(use);
      expect(error.code).to.equal('ERR_SECRET_STORE_DAMAGED');
      expect(error.message).to.include('it is empty');
      expect(error.hint).to.include('.bak');
    }
    expect(context.files.writes).to.deep.equal([]);
  });

  it('refuses names that a reference cannot contain', async () => {
    const store = storeOf({ variable: 'right' });
    for (const name of ['', ' a', 'a\nb', 'x'.repeat(256)]) {
      expect(await codeOf(store.set(name, 'v')), JSON.stringify(name)).to.equal('ERR_SECRET_NAME');
      expect(await codeOf(store.find(name))).to.equal('ERR_SECRET_NAME');
    }
  });

  it('accepts names with a meaning in JavaScript', async () => {
    const store = storeOf({ variable: 'right' });
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(await store.find(name)).to.equal(undefined);
      await store.set(name, `of ${name}`);
    }
    expect(await store.find('__proto__')).to.equal('of __proto__');
    expect(await store.list()).to.have.length(3);
  });

  it('stores any names and values', async () => {
    const name = fc
      .string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
      .filter((text) => text.trim() === text && !/\p{Cc}/u.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, fc.string({ unit: 'grapheme' }), { maxKeys: 4 }),
        async (secrets) => {
          const files = new MemoryFiles();
          const store = storeOf({ files, variable: 'right' });
          for (const [key, value] of Object.entries(secrets)) await store.set(key, value);
          const later = storeOf({ files, variable: 'right' });
          for (const [key, value] of Object.entries(secrets)) expect(await later.find(key)).to.equal(value);
        },
      ),
      { numRuns: 8 },
    );
  });

  it('loses no change when several stores write one file concurrently', async () => {
    const files = new MemoryFiles();
    const names = Array.from({ length: 8 }, (_, index) => `key-${index}`);
    await Promise.all(names.map((name) => storeOf({ files, variable: 'right' }).set(name, name)).slice(0, 1));
    await Promise.all(names.map((name) => storeOf({ files, variable: 'right' }).set(name, name)));
    expect((await storeOf({ files, variable: 'right' }).list()).map(({ name }) => name)).to.deep.equal(names);
  });

  it('refuses values above the limit, and keeps the stored ones', async () => {
    const files = await filledFiles();
    const store = storeOf({ files, variable: 'right' });
    expect(await codeOf(store.set('big', 'x'.repeat(33 * 1024 * 1024)))).to.equal('ERR_SECRET_STORE_FULL');
    expect(await store.list()).to.deep.equal([{ name: 'key' }]);
  });
});

describe('EncryptedStore with a modified file', () => {
  it('distinguishes damage from a wrong password, for any changed byte', async () => {
    const [content = new Uint8Array()] = (await filledFiles()).writes;
    const codes = new Set<string>();
    // One byte in each part: mark, format, cost, salt, nonce, proof, sum, text, tag.
    for (const at of [0, 16, 17, 18, 19, 20, 51, 52, 63, 64, 79, 80, 95, 96, content.length - 1]) {
      const files = new MemoryFiles();
      const changed = Uint8Array.from(content);
      changed[at] = (changed[at] ?? 0) ^ 0x41;
      files.contents.set('encrypted', changed);
      const code = await codeOf(storeOf({ files, variable: 'right' }).find('key'));
      expect(code, `byte ${at}`).to.match(/^ERR_SECRET_STORE_(?:DAMAGED|NEWER)$/);
      codes.add(code);
      expect(await codeOf(storeOf({ files, variable: 'right' }).set('key', 'new'))).to.equal(code);
      expect(files.writes).to.deep.equal([]);
    }
    expect([...codes]).to.have.members(['ERR_SECRET_STORE_DAMAGED', 'ERR_SECRET_STORE_NEWER']);
  });

  it('reports a truncated file as damaged, at any length', async () => {
    const [content = new Uint8Array()] = (await filledFiles()).writes;
    for (const length of [1, 15, 16, 17, 95, 96, 111, 112, content.length - 1]) {
      const files = new MemoryFiles();
      files.contents.set('encrypted', content.subarray(0, length));
      const code = await codeOf(storeOf({ files, variable: 'right' }).find('key'));
      expect(code, `${length} bytes`).to.equal('ERR_SECRET_STORE_DAMAGED');
    }
  });

  it('refuses a file with parts of two files', async () => {
    const one = (await filledFiles()).writes[0] ?? new Uint8Array();
    const files = await filledFiles();
    await storeOf({ files, variable: 'right' }).set('key', 'value no 2!');
    const other = files.writes[1] ?? new Uint8Array();
    files.contents.set('encrypted', Buffer.concat([other.subarray(0, 96), one.subarray(96)]));
    expect(await codeOf(storeOf({ files, variable: 'right' }).find('key'))).to.equal(
      'ERR_SECRET_STORE_DAMAGED',
    );
  });

  it('refuses key derivation parameters from a file that are too expensive', async () => {
    const [content = new Uint8Array()] = (await filledFiles()).writes;
    const { createHash } = await import('node:crypto');
    for (const cost of [
      [40, 8, 1],
      [15, 255, 1],
      [15, 8, 200],
      [1, 8, 1],
    ]) {
      const files = new MemoryFiles();
      const changed = Buffer.from(content);
      changed.set(cost, 17);
      createHash('sha256').update(changed.subarray(0, 80)).digest().copy(changed, 80, 0, 16);
      files.contents.set('encrypted', changed);
      expect(await codeOf(storeOf({ files, variable: 'right' }).find('key'))).to.equal(
        'ERR_SECRET_STORE_DAMAGED',
      );
    }
  });
});

describe('EncryptedStore password', () => {
  it('comes from the variable first, and is then not stored', async () => {
    const context = memoryContext({
      files: await filledFiles(),
      variable: 'right',
      answers: ['no'],
    });
    context.keyring.passwords.set('portolan', 'wrong');
    expect(await new EncryptedStore(context).find('key')).to.equal('value of it');
    expect(context.asked).to.deep.equal([]);
    expect(context.keyring.passwords.get('portolan')).to.equal('wrong');
  });

  it('is refused when the variable has a wrong one', async () => {
    const files = await filledFiles();
    for (const store of [
      storeOf({ files, variable: 'wrong' }),
      storeOf({ files, variable: 'wrong', answers: ['right'] }),
    ]) {
      expect(await codeOf(store.find('key'))).to.equal('ERR_SECRET_STORE_PASSWORD');
      expect(await codeOf(store.set('key', 'v'))).to.equal('ERR_SECRET_STORE_PASSWORD');
    }
    expect(files.writes).to.have.length(1);
  });

  it('is prompted for twice for a new file, then read from the keyring', async () => {
    const first = memoryContext({ answers: ['new one', 'new one'] });
    await new EncryptedStore(first).set('key', 'v');
    expect(first.asked).to.deep.equal(['New password for the secrets', 'The same password again']);
    const second = memoryContext({ files: first.files, keyring: first.keyring });
    expect(await new EncryptedStore(second).find('key')).to.equal('v');
  });

  const refused = [
    { title: 'that is empty', answers: [''] },
    { title: 'whose repetition differs', answers: ['one', 'two'] },
  ];
  for (const { title, answers } of refused) {
    it(`may be unavailable: ${title}`, async () => {
      const context = memoryContext({ answers });
      expect(await codeOf(new EncryptedStore(context).set('key', 'v'))).to.equal(
        'ERR_SECRET_STORE_NEW_PASSWORD',
      );
      expect(context.files.writes).to.deep.equal([]);
      expect(context.keyring.passwords.size).to.equal(0);
    });
  }

  it('is prompted for at most three times, and stored once it is right', async () => {
    const files = await filledFiles();
    const wrong = memoryContext({ files, answers: ['a', '', 'c', 'right'] });
    expect(await codeOf(new EncryptedStore(wrong).find('key'))).to.equal('ERR_SECRET_STORE_PASSWORD');
    expect(wrong.asked).to.have.length(3);
    expect(wrong.keyring.passwords.size).to.equal(0);
    const right = memoryContext({ files, answers: ['a', 'right'] });
    const store = new EncryptedStore(right);
    expect(await Promise.all([store.find('key'), store.find('key')])).to.deep.equal([
      'value of it',
      'value of it',
    ]);
    expect(right.asked).to.have.length(2);
    expect(right.keyring.passwords.get('portolan')).to.equal('right');
  });

  it('in the keyring is replaced after a wrong one and a correct prompt', async () => {
    const files = await filledFiles();
    const context = memoryContext({ files, answers: ['right'] });
    context.keyring.passwords.set('portolan', 'old');
    expect(await new EncryptedStore(context).find('key')).to.equal('value of it');
    expect(context.keyring.passwords.get('portolan')).to.equal('right');
    const alone = memoryContext({ files });
    alone.keyring.passwords.set('portolan', 'old');
    expect(await codeOf(new EncryptedStore(alone).find('key'))).to.equal('ERR_SECRET_STORE_PASSWORD');
  });

  it('is missing when no prompt is possible, with the reason in the error', async () => {
    const files = await filledFiles();
    expect(await codeOf(storeOf({ files }).find('key'))).to.equal('ERR_SECRET_STORE_LOCKED');
    const store = storeOf({
      files,
      keyring: new MemoryKeyring('no keyring service responds in this session'),
    });
    const error: unknown = await store.find('key').catch((reason: unknown) => reason);
    expect(error).to.have.property('message').that.includes('no keyring service responds in this session');
    expect(error).to.have.property('hint').that.includes('PORTOLAN_SECRETS_PASSWORD');
  });

  it('is prompted for each time without a keyring', async () => {
    const context = memoryContext({
      files: await filledFiles(),
      keyring: new MemoryKeyring('none'),
      answers: ['right'],
    });
    expect(await new EncryptedStore(context).find('key')).to.equal('value of it');
    expect(JSON.stringify(context.logger.lines)).to.include('not stored').and.not.include('right');
  });

  it('is removed from the keyring, and a missing keyring is an error', async () => {
    const context = memoryContext();
    context.keyring.passwords.set('portolan', 'x');
    const store = new EncryptedStore(context);
    expect([await store.forgetPassword(), await store.forgetPassword()]).to.deep.equal([true, false]);
    expect(await codeOf(storeOf({ keyring: new MemoryKeyring('none') }).forgetPassword())).to.equal(
      'ERR_SECRET_KEYRING',
    );
  });
});

describe('encryptedStore', () => {
  it('reads nothing and prompts for nothing when it is created', async () => {
    const { createTestContext } = await import('@portolan/plugin-testing');
    const { files, environment } = memoryContext();
    const store = await encryptedStore.create(
      { keyring: false },
      { ...createTestContext(), files, environment },
    );
    expect(await codeOf(store.set?.('key', 'v') ?? Promise.resolve())).to.equal('ERR_SECRET_STORE_LOCKED');
    expect(await codeOf(store.forgetPassword?.() ?? Promise.resolve())).to.equal('ERR_SECRET_KEYRING');
  });
});
