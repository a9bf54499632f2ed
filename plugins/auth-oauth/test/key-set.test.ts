import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createRecordingLogger, eventually, FakeClock, type RecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { KeySet } from '../src/keys/key-set.ts';
import type { SigningKeys } from '../src/keys/signing-key.ts';
import { TIMING } from '../src/timing.ts';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function keysNamed(...kids: readonly string[]): SigningKeys {
  return new Map(kids.map((kid) => [kid, [{ key: publicKey, algorithms: ['ES256'], fingerprint: kid }]]));
}

const MINUTE = 60_000;

describe('KeySet', () => {
  let clock: FakeClock;
  let logger: RecordingLogger;
  let published: SigningKeys | Error;
  let fetches: number;
  let hold: Promise<void> | undefined;
  let set: KeySet;

  beforeEach(() => {
    clock = new FakeClock();
    logger = createRecordingLogger();
    published = keysNamed('a');
    fetches = 0;
    hold = undefined;
    set = new KeySet({
      provider: 'main',
      fetchKeys: async (signal) => {
        fetches += 1;
        if (hold !== undefined) await Promise.race([hold, once(signal, 'abort')]);
        if (published instanceof Error) throw published;
        return published;
      },
      timing: { ...TIMING, backOffMs: [], patienceMs: 50 },
      nowMs: clock.nowMs,
      logger,
    });
  });
  afterEach(() => set.close());

  /** How many keys there are under this name, or the code of the error. */
  async function ask(kid: string): Promise<number | string> {
    try {
      return (await set.find(kid, 'ES256')).length;
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
  }

  it('fetches keys once for concurrent callers', async () => {
    expect(await Promise.all([ask('a'), ask('a'), ask('a')])).to.deep.equal([1, 1, 1]);
    expect(fetches).to.equal(1);
  });

  it('returns a key only for its algorithm', async () => {
    expect(await set.find('a', 'ES256')).to.have.lengthOf(1);
    expect(await set.find('a', 'RS256')).to.deep.equal([]);
  });

  it('does not fetch for each of many unknown keys, and finds a new key after the pause', async () => {
    await ask('a');
    published = keysNamed('a', 'b');
    for (let made = 0; made < 1000; made += 1) expect(await ask(`made-up-${made}`)).to.equal(0);
    expect(fetches).to.equal(1);
    clock.advance(TIMING.unknownKeyMs - 1);
    expect(await ask('b')).to.equal(0);
    clock.advance(1);
    expect(await Promise.all([ask('b'), ask('made-up'), ask('a')])).to.deep.equal([1, 0, 1]);
    expect(fetches).to.equal(2);
  });

  it('returns expired keys at once, and refreshes them in the background', async () => {
    await ask('a');
    clock.advance(TIMING.freshMs - 1);
    await ask('a');
    expect(fetches).to.equal(1);
    clock.advance(1);
    hold = new Promise(() => undefined);
    expect(await ask('a')).to.equal(1);
    expect(fetches).to.equal(2);
  });

  it('waits for new keys when the old ones are very old', async () => {
    await ask('a');
    clock.advance(TIMING.firmMs);
    published = keysNamed('b');
    expect(await ask('a')).to.equal(0);
    expect(await ask('b')).to.equal(1);
  });

  it('keeps the last keys for a day while fetching fails, with one warning', async () => {
    await ask('a');
    published = new Error('down');
    for (let minutes = 0; minutes < 24 * 60 - 1; minutes += 1) {
      clock.advance(MINUTE);
      expect(await ask('a')).to.equal(1);
    }
    clock.advance(MINUTE);
    expect(await ask('a')).to.equal('ERR_OAUTH_KEYS');
    expect(logger.lines.filter(({ level }) => level === 'warn')).to.have.lengthOf(1);
    published = keysNamed('a');
    clock.advance(TIMING.failureMs);
    expect(await ask('a')).to.equal(1);
    expect(logger.lines.at(-1)).to.include({
      level: 'info',
      message: 'the keys of an identity provider are available again',
    });
  });

  it('fails for an unknown key while keys cannot be fetched', async () => {
    await ask('a');
    published = new Error('down');
    clock.advance(TIMING.unknownKeyMs);
    expect([await ask('b'), await ask('a')]).to.deep.equal(['ERR_OAUTH_KEYS', 1]);
  });

  it('retries one second after a failure when it has no keys, not earlier', async () => {
    published = new Error('down');
    expect(await ask('a')).to.equal('ERR_OAUTH_KEYS');
    expect(await ask('a')).to.equal('ERR_OAUTH_KEYS');
    expect(fetches).to.equal(1);
    published = keysNamed('a');
    clock.advance(TIMING.failureMs);
    expect(await ask('a')).to.equal(1);
  });

  it('retries after the given delays', async () => {
    let tries = 0;
    const patient = new KeySet({
      provider: 'main',
      fetchKeys: async () => {
        tries += 1;
        if (tries < 3) throw new Error('down');
        return keysNamed('a');
      },
      timing: { ...TIMING, backOffMs: [1, 1] },
      nowMs: clock.nowMs,
      logger,
    });
    expect(await patient.find('a', 'ES256')).to.have.lengthOf(1);
    expect(tries).to.equal(3);
    await patient.close();
  });

  it('times out waiting callers, and still stores the keys that arrive later', async () => {
    let release = (): void => undefined;
    hold = new Promise((resolve) => {
      release = resolve;
    });
    expect(await ask('a')).to.equal('ERR_OAUTH_KEYS');
    release();
    await eventually(async () => expect(await ask('a')).to.equal(1));
    expect(fetches).to.equal(1);
  });

  it('changes its generation when a key is removed, not when one is added', async () => {
    await ask('a');
    const { generation } = set;
    published = keysNamed('a', 'b');
    clock.advance(TIMING.firmMs);
    await ask('a');
    expect(set.generation).to.equal(generation);
    published = keysNamed('b');
    clock.advance(TIMING.firmMs);
    await ask('b');
    expect(set.generation).to.not.equal(generation);
  });

  it('fetches nothing after it was closed', async () => {
    await set.close();
    expect(await ask('a')).to.equal('ERR_OAUTH_KEYS');
    expect(fetches).to.equal(0);
  });
});
