import { type CredentialsState, PortolanError } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { loginExpired, tokenUnavailable } from '../../src/errors.ts';
import { TokenKeeper } from '../../src/tokens/token-keeper.ts';
import type { TokenSet } from '../../src/tokens/token-set.ts';

const PACE = {
  aheadMs: 10,
  firstRetryMs: 5,
  longestRetryMs: 10,
  quickTries: 2,
  slowRetryMs: 20,
  giveUpMs: 60_000,
};

function coded(code: string): PortolanError {
  return new PortolanError(code, 'unavailable', 'It is so.', { hint: 'Wait.' });
}

describe('TokenKeeper', () => {
  let now = 1_000_000;
  let renewals: number;
  let states: CredentialsState['is'][];
  let answer: () => Promise<TokenSet>;
  let keeper: TokenKeeper;

  const tokens = (accessToken: string, livesMs = 1000): TokenSet => ({
    accessToken,
    expiresAt: new Date(now + livesMs),
    refreshToken: 'r',
    scopes: undefined,
    subject: undefined,
  });
  const codeOf = async (promise: Promise<unknown>): Promise<unknown> =>
    await promise.then(
      () => 'none',
      (error: { readonly code: unknown }) => error.code,
    );

  beforeEach(() => {
    now = 1_000_000;
    renewals = 0;
    states = [];
    answer = async () => tokens(`t${renewals}`, 3600_000);
    keeper = new TokenKeeper({
      renew: async () => {
        renewals += 1;
        return await answer();
      },
      clock: () => new Date(now),
      nowMs: () => now,
      logger: createRecordingLogger(),
      changed: ({ is }) => states.push(is),
      pace: PACE,
    });
  });
  afterEach(() => keeper.close());

  it('returns a valid token, and renews an expired one once for a thousand concurrent callers', async () => {
    keeper.take(tokens('first', 1_000_000));
    expect(await keeper.token()).to.equal('first');
    now += 2_000_000;
    const given = await Promise.all(Array.from({ length: 1000 }, () => keeper.token()));
    expect(new Set(given)).to.deep.equal(new Set(['t1']));
    expect(renewals).to.equal(1);
  });

  it('renews before the expiry', async () => {
    keeper.take(tokens('first', 20));
    await eventually(() => expect(renewals).to.equal(1));
    expect(await keeper.token()).to.equal('t1');
  });

  it('renews once for several refusals of the same token', async () => {
    keeper.take(tokens('first', 1_000_000));
    const replaced = await Promise.all(Array.from({ length: 50 }, () => keeper.replaced('first')));
    expect(new Set(replaced)).to.deep.equal(new Set([true]));
    expect(renewals).to.equal(1);
    expect(await keeper.replaced('first')).to.equal(true);
    expect(renewals).to.equal(1);
  });

  it('renews at most ten times in ten minutes for a remote that refuses every token', async () => {
    keeper.take(tokens('t0', 3600_000));
    const refuse = async (times: number): Promise<void> => {
      for (let at = 0; at < times; at += 1) await keeper.replaced(await keeper.token());
    };
    await refuse(50);
    expect(renewals).to.equal(10);
    expect(await keeper.replaced(await keeper.token())).to.equal(false);
    now += 600_000;
    await refuse(1);
    expect(renewals).to.equal(11);
    await refuse(50);
    await keeper.again(); // after a login
    const before = renewals;
    await refuse(1);
    expect(renewals).to.equal(before + 1);
  });

  it('hides a temporary failure while a token is valid, and reports it completely afterwards', async () => {
    await keeper.close();
    const calm = new TokenKeeper({
      renew: async () => {
        renewals += 1;
        return await Promise.reject(tokenUnavailable('the test says so'));
      },
      clock: () => new Date(now),
      nowMs: () => now,
      logger: createRecordingLogger(),
      changed: ({ is }) => states.push(is),
      pace: { ...PACE, firstRetryMs: 3600_000, longestRetryMs: 3600_000 },
    });
    try {
      calm.take(tokens('first', 20)); // renewed ahead of its end, by this test's clock
      await eventually(() => expect(renewals).to.equal(1));
      expect(await calm.token()).to.equal('first');
      expect(states).to.deep.equal(['good']);
      now += 30;
      expect(await codeOf(calm.token())).to.equal('ERR_LOGIN_TOKEN');
      expect(states.at(-1)).to.equal('retrying');
    } finally {
      await calm.close();
    }
  });

  it('reports at once that a token was refused and cannot be renewed now', async () => {
    answer = async () => await Promise.reject(tokenUnavailable('the test says so'));
    keeper.take(tokens('first', 1_000_000));
    expect(await keeper.replaced('first')).to.equal(false);
    expect(states.at(-1)).to.equal('retrying');
  });

  it('renews without a limit when each token works for a while before it is refused', async () => {
    keeper.take(tokens('t0', 3600_000));
    for (let times = 1; times <= 40; times += 1) {
      now += 20_000;
      expect(await keeper.replaced(await keeper.token())).to.equal(true);
    }
    expect(renewals).to.equal(40);
  });

  it('reports a failed early renewal after the quick retries, although the token is valid', async () => {
    answer = async () => await Promise.reject(tokenUnavailable('the test says so'));
    keeper.take(tokens('first', 20));
    await eventually(() => expect(states.at(-1)).to.equal('retrying'));
    expect(renewals).to.be.at.least(PACE.quickTries);
    expect(await keeper.token()).to.equal('first');
  });

  it('fails fast between retries, and recovers after a success', async () => {
    keeper.take(tokens('first', 1_000_000));
    now += 2_000_000;
    answer = async () => Promise.reject(tokenUnavailable('the test says so'));
    expect(await codeOf(keeper.token())).to.equal('ERR_LOGIN_TOKEN');
    expect(await codeOf(keeper.token())).to.equal('ERR_LOGIN_TOKEN');
    expect(renewals).to.be.at.least(1);
    answer = async () => tokens('again', 3600_000);
    await eventually(async () => expect(await keeper.token()).to.equal('again'));
    expect(states.at(-1)).to.equal('good');
    expect(states).to.include('retrying');
  });

  it('ends when the server ends the login, and continues after a new login', async () => {
    keeper.take(tokens('first', 1_000_000));
    now += 2_000_000;
    answer = async () => Promise.reject(loginExpired('the test says so'));
    expect(await codeOf(keeper.token())).to.equal('ERR_LOGIN_EXPIRED');
    expect(await codeOf(keeper.token())).to.equal('ERR_LOGIN_EXPIRED');
    expect(renewals).to.equal(1);
    // Of requests that were on their way by then.
    expect(await keeper.replaced('first')).to.equal(false);
    expect(renewals).to.equal(1);
    answer = async () => tokens('anew', 3600_000);
    await keeper.again();
    expect(await keeper.token()).to.equal('anew');
    expect(states.at(-1)).to.equal('good');
  });

  it('completes a renewal that started before close, because its refresh token is used up', async () => {
    const begun = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<TokenSet>();
    answer = async () => {
      begun.resolve();
      return await stored.promise;
    };
    const asked = keeper.token();
    await begun.promise;
    const order: string[] = [];
    const closed = keeper.close().then(() => order.push('closed'));
    void asked.then(() => order.push('stored'));
    stored.resolve(tokens('last'));
    await closed;
    expect(order).to.deep.equal(['stored', 'closed']);
  });

  it('ends when the remote refuses a token without a refresh token', async () => {
    const only = { ...tokens('only', 1_000_000), refreshToken: undefined };
    answer = async () => only;
    keeper.take(only);
    expect(await keeper.replaced('only')).to.equal(false);
    expect(states.at(-1)).to.equal('over');
    expect(await codeOf(keeper.token())).to.equal('ERR_LOGIN_EXPIRED');
    answer = async () => tokens('after a login');
    await keeper.again();
    expect(await keeper.token()).to.equal('after a login');
  });

  it('reports the end of the login when its token expires without a refresh token', async () => {
    answer = async () => Promise.reject(loginExpired('the test says so'));
    keeper.take({ ...tokens('only', 15), refreshToken: undefined });
    await eventually(() => expect(states.at(-1)).to.equal('over'));
  });

  const faults: readonly (readonly [what: string, fault: Error, isFinal: boolean])[] = [
    ['an unreachable issuer', tokenUnavailable('it is away'), false],
    ['a secret store that is locked', coded('ERR_SECRETS_LOCKED'), false],
    ['a lock of another process', coded('ERR_STATE_BUSY'), false],
    ['unavailable metadata', coded('ERR_LOGIN_DISCOVERY'), false],
    ['a timeout of the issuer', new DOMException('timed out', 'TimeoutError'), false],
    ['an expired refresh token', loginExpired('it is over'), true],
    ['tokens that are no valid header', coded('ERR_LOGIN_REFUSED'), true],
    ['metadata of another resource', coded('ERR_LOGIN_UNTRUSTED'), true],
  ];
  for (const [what, fault, isFinal] of faults) {
    it(`${isFinal ? 'ends' : 'retries later'} after ${what}`, async () => {
      keeper.take(tokens('first', 1_000_000));
      now += 2_000_000;
      answer = async () => await Promise.reject(fault);
      const [first, second] = [await codeOf(keeper.token()), await codeOf(keeper.token())];
      expect(states).to.include(isFinal ? 'over' : 'retrying');
      expect(states).to.not.include(isFinal ? 'retrying' : 'over');
      const isOver = (code: unknown): boolean => code === 'ERR_LOGIN_EXPIRED';
      expect([isOver(first), isOver(second)]).to.deep.equal([isFinal, isFinal]);
      if (isFinal) return expect(renewals).to.equal(1);
      answer = async () => tokens('later', 3600_000);
      return await eventually(async () => expect(await keeper.token()).to.equal('later'));
    });
  }

  it('asks an unreachable issuer no more often when requests are refused', async () => {
    await keeper.close();
    const pace = { ...PACE, firstRetryMs: 3600_000, longestRetryMs: 3600_000 };
    const calm = new TokenKeeper({
      renew: async () => {
        renewals += 1;
        return await Promise.reject(tokenUnavailable('it is away'));
      },
      clock: () => new Date(now),
      nowMs: () => now,
      logger: createRecordingLogger(),
      changed: () => undefined,
      pace,
    });
    calm.take(tokens('first', 1_000_000));
    for (let times = 0; times < 20; times += 1) expect(await calm.replaced('first')).to.equal(false);
    expect(renewals).to.equal(1);
    // Nobody but the remote has said that it is not good.
    expect(await calm.token()).to.equal('first');
    await calm.close();
  });

  it('gives up after its time limit', async () => {
    keeper.take(tokens('first', 1_000_000));
    now += 2_000_000;
    answer = async () => {
      now += 61_000;
      return await Promise.reject(tokenUnavailable('the test says so'));
    };
    await codeOf(keeper.token());
    await eventually(async () => expect(await codeOf(keeper.token())).to.equal('ERR_LOGIN_EXPIRED'));
    expect(states.at(-1)).to.equal('over');
  });
});
