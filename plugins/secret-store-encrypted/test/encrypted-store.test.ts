import { expect } from 'chai';
import { caught } from '../../../test/support/caught.ts';
import fc from 'fast-check';
import { isPortolanError } from '@portolan/plugin-api';
import { EncryptedStore } from '../src/encrypted-store.ts';
import { encryptedStore } from '../src/encrypted-kind.ts';
import {
  MemoryFiles,
  MemoryKeyring,
  type MemoryOptions,
  memorySurroundings,
} from './support/memory-surroundings.ts';

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'nothing was thrown';
  } catch (error) {
    return isPortolanError(error) ? error.code : String(error);
  }
}

function storeOf(options: MemoryOptions): EncryptedStore {
  return new EncryptedStore(memorySurroundings(options));
}

/** A file that holds the secret `key`, made with the password `right`. */
async function filledFiles(): Promise<MemoryFiles> {
  const files = new MemoryFiles();
  await storeOf({ files, variable: 'right' }).set('key', 'value of it');
  return files;
}

describe('EncryptedStore', () => {
  it('gives back what was stored, also to a store that is opened later', async () => {
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

  it('shows neither names nor values in its file, and never the same bytes twice', async () => {
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

  it('asks nobody and writes nothing while there are no secrets', async () => {
    const surroundings = memorySurroundings();
    const store = new EncryptedStore(surroundings);
    expect(await store.find('key')).to.equal(undefined);
    expect(await store.list()).to.deep.equal([]);
    expect(await store.delete('key')).to.equal(false);
    expect(surroundings.files.writes).to.deep.equal([]);
  });

  it('refuses an empty file and names the backup, when it reads and when it writes', async () => {
    const surroundings = memorySurroundings();
    const store = new EncryptedStore(surroundings);
    surroundings.files.contents.set('encrypted', new Uint8Array());
    for (const use of [() => store.find('key'), () => store.list(), () => store.set('key', 'v')]) {
      const error = await caught(use);
      expect(error.code).to.equal('ERR_SECRET_STORE_DAMAGED');
      expect(error.message).to.include('it is empty');
      expect(error.hint).to.include('.bak');
    }
    expect(surroundings.files.writes).to.deep.equal([]);
  });

  it('refuses names that nothing can refer to', async () => {
    const store = storeOf({ variable: 'right' });
    for (const name of ['', ' a', 'a\nb', 'x'.repeat(256)]) {
      expect(await codeOf(store.set(name, 'v')), JSON.stringify(name)).to.equal('ERR_SECRET_NAME');
      expect(await codeOf(store.find(name))).to.equal('ERR_SECRET_NAME');
    }
  });

  it('takes names that mean something to JavaScript', async () => {
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

  it('loses nothing when several stores change one file at once', async () => {
    const files = new MemoryFiles();
    const names = Array.from({ length: 8 }, (_, index) => `key-${index}`);
    await Promise.all(names.map((name) => storeOf({ files, variable: 'right' }).set(name, name)).slice(0, 1));
    await Promise.all(names.map((name) => storeOf({ files, variable: 'right' }).set(name, name)));
    expect((await storeOf({ files, variable: 'right' }).list()).map(({ name }) => name)).to.deep.equal(names);
  });

  it('does not take more than the limit, and keeps what is there', async () => {
    const files = await filledFiles();
    const store = storeOf({ files, variable: 'right' });
    expect(await codeOf(store.set('big', 'x'.repeat(33 * 1024 * 1024)))).to.equal('ERR_SECRET_STORE_FULL');
    expect(await store.list()).to.deep.equal([{ name: 'key' }]);
  });
});

describe('EncryptedStore with a file that was changed', () => {
  it('tells damage from a wrong password, wherever a byte was changed', async () => {
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

  it('takes a cut file for damaged, at any length', async () => {
    const [content = new Uint8Array()] = (await filledFiles()).writes;
    for (const length of [1, 15, 16, 17, 95, 96, 111, 112, content.length - 1]) {
      const files = new MemoryFiles();
      files.contents.set('encrypted', content.subarray(0, length));
      const code = await codeOf(storeOf({ files, variable: 'right' }).find('key'));
      expect(code, `${length} bytes`).to.equal('ERR_SECRET_STORE_DAMAGED');
    }
  });

  it('does not take parts of two files for one', async () => {
    const one = (await filledFiles()).writes[0] ?? new Uint8Array();
    const files = await filledFiles();
    await storeOf({ files, variable: 'right' }).set('key', 'value no 2!');
    const other = files.writes[1] ?? new Uint8Array();
    files.contents.set('encrypted', Buffer.concat([other.subarray(0, 96), one.subarray(96)]));
    expect(await codeOf(storeOf({ files, variable: 'right' }).find('key'))).to.equal(
      'ERR_SECRET_STORE_DAMAGED',
    );
  });

  it('does not derive a key at a price that a file dictates', async () => {
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

describe('the password of an EncryptedStore', () => {
  it('is that of the variable before all others, and is not kept', async () => {
    const surroundings = memorySurroundings({
      files: await filledFiles(),
      variable: 'right',
      answers: ['no'],
    });
    surroundings.keyring.passwords.set('portolan', 'wrong');
    expect(await new EncryptedStore(surroundings).find('key')).to.equal('value of it');
    expect(surroundings.asked).to.deep.equal([]);
    expect(surroundings.keyring.passwords.get('portolan')).to.equal('wrong');
  });

  it('is refused when the variable has another one', async () => {
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

  it('is asked for twice for a new file, and then comes from the keyring', async () => {
    const first = memorySurroundings({ answers: ['new one', 'new one'] });
    await new EncryptedStore(first).set('key', 'v');
    expect(first.asked).to.deep.equal(['New password for the secrets', 'The same password again']);
    const second = memorySurroundings({ files: first.files, keyring: first.keyring });
    expect(await new EncryptedStore(second).find('key')).to.equal('v');
  });

  const refused = [
    { title: 'that is empty', answers: [''] },
    { title: 'whose repetition differs', answers: ['one', 'two'] },
  ];
  for (const { title, answers } of refused) {
    it(`may be none ${title}`, async () => {
      const surroundings = memorySurroundings({ answers });
      expect(await codeOf(new EncryptedStore(surroundings).set('key', 'v'))).to.equal(
        'ERR_SECRET_STORE_NEW_PASSWORD',
      );
      expect(surroundings.files.writes).to.deep.equal([]);
      expect(surroundings.keyring.passwords.size).to.equal(0);
    });
  }

  it('is asked for three times at most, and kept once it is right', async () => {
    const files = await filledFiles();
    const wrong = memorySurroundings({ files, answers: ['a', '', 'c', 'right'] });
    expect(await codeOf(new EncryptedStore(wrong).find('key'))).to.equal('ERR_SECRET_STORE_PASSWORD');
    expect(wrong.asked).to.have.length(3);
    expect(wrong.keyring.passwords.size).to.equal(0);
    const right = memorySurroundings({ files, answers: ['a', 'right'] });
    const store = new EncryptedStore(right);
    expect(await Promise.all([store.find('key'), store.find('key')])).to.deep.equal([
      'value of it',
      'value of it',
    ]);
    expect(right.asked).to.have.length(2);
    expect(right.keyring.passwords.get('portolan')).to.equal('right');
  });

  it('of the keyring is replaced when it is wrong and a person knows better', async () => {
    const files = await filledFiles();
    const surroundings = memorySurroundings({ files, answers: ['right'] });
    surroundings.keyring.passwords.set('portolan', 'old');
    expect(await new EncryptedStore(surroundings).find('key')).to.equal('value of it');
    expect(surroundings.keyring.passwords.get('portolan')).to.equal('right');
    const alone = memorySurroundings({ files });
    alone.keyring.passwords.set('portolan', 'old');
    expect(await codeOf(new EncryptedStore(alone).find('key'))).to.equal('ERR_SECRET_STORE_PASSWORD');
  });

  it('is missing where nobody can be asked, and the error says why there is none', async () => {
    const files = await filledFiles();
    expect(await codeOf(storeOf({ files }).find('key'))).to.equal('ERR_SECRET_STORE_LOCKED');
    const store = storeOf({ files, keyring: new MemoryKeyring('no keyring service answers') });
    const error: unknown = await store.find('key').catch((reason: unknown) => reason);
    expect(error).to.have.property('message').that.includes('no keyring service answers');
    expect(error).to.have.property('hint').that.includes('PORTOLAN_SECRETS_PASSWORD');
  });

  it('is asked for each time where there is no keyring', async () => {
    const surroundings = memorySurroundings({
      files: await filledFiles(),
      keyring: new MemoryKeyring('none'),
      answers: ['right'],
    });
    expect(await new EncryptedStore(surroundings).find('key')).to.equal('value of it');
    expect(JSON.stringify(surroundings.logger.lines)).to.include('not kept').and.not.include('right');
  });

  it('is forgotten by the keyring, and a keyring that is not there is an error', async () => {
    const surroundings = memorySurroundings();
    surroundings.keyring.passwords.set('portolan', 'x');
    const store = new EncryptedStore(surroundings);
    expect([await store.forgetPassword(), await store.forgetPassword()]).to.deep.equal([true, false]);
    expect(await codeOf(storeOf({ keyring: new MemoryKeyring('none') }).forgetPassword())).to.equal(
      'ERR_SECRET_KEYRING',
    );
  });
});

describe('encryptedStore', () => {
  it('reads nothing and asks nobody when an instance is made', async () => {
    const { createTestContext } = await import('@portolan/plugin-testing');
    const { files, environment } = memorySurroundings();
    const store = await encryptedStore.create(
      { keyring: false },
      { ...createTestContext(), files, environment },
    );
    expect(await codeOf(store.set?.('key', 'v') ?? Promise.resolve())).to.equal('ERR_SECRET_STORE_LOCKED');
    expect(await codeOf(store.forgetPassword?.() ?? Promise.resolve())).to.equal('ERR_SECRET_KEYRING');
  });
});
