import { expect } from 'chai';
import { createCipheriv, createHash } from 'node:crypto';
import { EncryptedStore } from '../src/encrypted-store.ts';
import { memoryContext } from './support/memory-context.ts';

/** A file as the reference implementation writes it: nonce, text, tag; the key is the password's SHA-256. */
function referenceFile(secrets: object, password: string): Buffer {
  const nonce = Buffer.alloc(12, 7);
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(password).digest(), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify({ secrets })), cipher.final()]);
  return Buffer.concat([nonce, text, cipher.getAuthTag()]);
}

const SECRETS = { github: 'ghp_1', __thv_workloads_x: 'y' };

describe('EncryptedStore.readForeign', () => {
  it('reads a file of ToolHive with a prompted password', async () => {
    const context = memoryContext({ answers: ['no', 'theirs'], variable: 'ours' });
    const secrets = await new EncryptedStore(context).readForeign(referenceFile(SECRETS, 'theirs'));
    expect(Object.fromEntries(secrets)).to.deep.equal(SECRETS);
    expect(context.asked).to.have.length(2);
    expect(context.keyring.passwords.size).to.equal(0);
  });

  it("uses ToolHive's password variable or keyring entry", async () => {
    const content = referenceFile(SECRETS, 'theirs');
    const environment = { TOOLHIVE_SECRETS_PASSWORD: 'theirs' };
    const store = new EncryptedStore({ ...memoryContext(), environment });
    expect((await store.readForeign(content)).size).to.equal(2);
    const context = memoryContext();
    context.keyring.passwords.set('toolhive', 'theirs');
    expect((await new EncryptedStore(context).readForeign(content)).size).to.equal(2);
  });

  const unusable = [
    { title: 'cut', content: Buffer.alloc(20), code: 'ERR_SECRET_IMPORT' },
    { title: 'of another password', content: referenceFile(SECRETS, 'x'), code: 'ERR_SECRET_STORE_PASSWORD' },
    {
      title: 'that was changed',
      content: referenceFile(SECRETS, 'theirs').fill(0, 14, 15),
      code: 'ERR_SECRET_STORE_PASSWORD',
    },
  ];
  for (const { title, content, code } of unusable) {
    it(`refuses a file ${title}`, async () => {
      const store = new EncryptedStore({
        ...memoryContext(),
        environment: { TOOLHIVE_SECRETS_PASSWORD: 'theirs' },
      });
      const error: unknown = await store.readForeign(content).catch((reason: unknown) => reason);
      expect(error).to.have.property('code', code);
    });
  }

  it('treats an empty file as one without secrets', async () => {
    expect((await new EncryptedStore(memoryContext()).readForeign(new Uint8Array())).size).to.equal(0);
  });
});
