import {
  PortolanError,
  type SecretStore,
  type SecretStoreContext,
  type SecretStoreKind,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { secretStoreCases, secretStoreContract, type SecretStoreUnderTest } from '../src/index.ts';
import { failingCases } from './support/failing-cases.ts';

const config = { type: 'object', description: 'A safe.', properties: {} } as const;
const FILE = 'safe';
const MAX_BYTES = 1_000_000;

/** A store that keeps every promise, with a cipher that would keep nobody out; tests below break one at a time. */
class Safe implements SecretStore {
  readonly #context: SecretStoreContext;

  constructor(context: SecretStoreContext) {
    this.#context = context;
  }

  async find(name: string): Promise<string | undefined> {
    if (name === '')
      throw new PortolanError('ERR_SECRET_NAME', 'mistake', 'It has no name.', { hint: 'Give it one.' });
    const content = await this.#context.files.read(FILE, MAX_BYTES);
    await this.#unlock(content);
    return this.open(content).get(name);
  }

  async set(name: string, value: string): Promise<void> {
    await this.#unlock(await this.#context.files.read(FILE, MAX_BYTES));
    await this.#context.files.update(FILE, MAX_BYTES, async (content) =>
      this.seal(new Map(this.open(content)).set(name, value)),
    );
  }

  async delete(name: string): Promise<boolean> {
    let deleted = false;
    await this.#context.files.update(FILE, MAX_BYTES, async (content) => {
      const secrets = new Map(this.open(content));
      deleted = secrets.delete(name);
      return this.seal(secrets);
    });
    return deleted;
  }

  async list(): Promise<readonly { name: string }[]> {
    const secrets = this.open(await this.#context.files.read(FILE, MAX_BYTES));
    return [...secrets.keys()].toSorted().map((name) => ({ name }));
  }

  open(content: Uint8Array | undefined): ReadonlyMap<string, string> {
    if (content === undefined) return new Map();
    return new Map(JSON.parse(Buffer.from(Buffer.from(content).toString(), 'base64').toString()).secrets);
  }

  seal(secrets: ReadonlyMap<string, string>): Uint8Array {
    const json = JSON.stringify({ password: PASSWORD.value, secrets: [...secrets] });
    return Buffer.from(Buffer.from(json).toString('base64'));
  }

  async #unlock(content: Uint8Array | undefined): Promise<void> {
    const password = await this.#context.askPassword?.('Password?');
    if (password === undefined)
      throw new PortolanError('ERR_SECRET_STORE_LOCKED', 'refused', 'It is locked.', { hint: 'Open it.' });
    if (content === undefined) PASSWORD.value = password;
    else if (password !== PASSWORD.value)
      throw new PortolanError('ERR_SAFE', 'fault', 'Wrong password.', { hint: 'Try again.' });
  }
}

const PASSWORD = { value: '' };

const kind: SecretStoreKind = {
  kind: '9safe',
  config,
  can: ['set', 'delete', 'list'],
  create: (_config, context) => new Safe(context),
};

const tried = (
  create: SecretStoreUnderTest['create'],
  ofKind: SecretStoreKind = kind,
): SecretStoreUnderTest => ({
  name: 'safe',
  kind: ofKind,
  blocks: [{}],
  create,
  badNames: [''],
  locks: true,
});

secretStoreContract(tried((context) => new Safe(context)));

describe('secretStoreCases', () => {
  class Clear extends Safe {
    override open(content: Uint8Array | undefined): ReadonlyMap<string, string> {
      return content === undefined ? new Map() : new Map(JSON.parse(Buffer.from(content).toString()));
    }
    override seal(secrets: ReadonlyMap<string, string>): Uint8Array {
      return Buffer.from(JSON.stringify([...secrets]));
    }
  }
  class Trimming extends Safe {
    override set(name: string, value: string): Promise<void> {
      return super.set(name, value.trim());
    }
  }
  class Unordered extends Safe {
    override async list(): Promise<readonly { name: string }[]> {
      return [{ name: 'two' }, { name: 'one' }];
    }
  }
  class Forgetful extends Safe {
    override async delete(): Promise<boolean> {
      return true;
    }
  }

  const broken: readonly {
    title: string;
    create: SecretStoreUnderTest['create'];
    fails: readonly string[];
  }[] = [
    {
      title: 'writes in clear',
      create: (context) => new Clear(context),
      fails: ['writes no value in plain text'],
    },
    {
      title: 'changes values',
      create: (context) => new Trimming(context),
      fails: ['stores every value unchanged, replaces the previous one, and shows it to other instances'],
    },
    {
      title: 'lists in any order',
      create: (context) => new Unordered(context),
      fails: ['lists names in order, without values'],
    },
    {
      title: 'deletes nothing',
      create: (context) => new Forgetful(context),
      fails: ['deletes a secret once, and no other'],
    },
    {
      title: 'needs no password',
      create: (context) => new Safe({ ...context, askPassword: async () => 'always the same' }),
      fails: [
        'reports that it is locked when there is no user to ask',
        'reveals nothing for a wrong password',
      ],
    },
  ];
  for (const { title, create, fails } of broken) {
    it(`fails for a store that ${title}`, async () => {
      expect(await failingCases(secretStoreCases(tried(create)))).to.deep.equal(fails);
    });
  }

  it('fails for a store whose functions differ from those of its kind', async () => {
    for (const can of [['set', 'delete'], []] as const) {
      const failing = await failingCases(
        secretStoreCases(tried((context) => new Safe(context), { ...kind, can })),
      );
      expect(failing).to.include('declares the functions of its stores, which have exactly those');
    }
  });
});
