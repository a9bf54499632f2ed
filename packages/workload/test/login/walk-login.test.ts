import { mock } from 'node:test';
import { setImmediate as breathe } from 'node:timers/promises';
import { OauthWeb, type Redirect } from '@portolan/oauth-client';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import type { LoginPrompt } from '../../src/login/person.ts';
import { type LoginWalk, walkLogin } from '../../src/login/walk-login.ts';

const ISSUER = 'https://login.acme.example';
const TOKENS = { access_token: 'given', token_type: 'bearer', expires_in: 60 };
const NOW = Date.parse('2026-11-23T12:00:00Z');
const REDIRECT_URI = 'http://localhost:8666/callback';

/** Responses of an authorization server, by path. */
type Answers = Readonly<Record<string, () => Response>>;

describe('walkLogin', () => {
  let prompts: LoginPrompt[];
  /** Presses Enter; undefined while the login does not react to it. */
  let pressEnter: (() => Date) | undefined;
  let redirected: PromiseWithResolvers<Redirect>;

  beforeEach(() => {
    prompts = [];
    pressEnter = undefined;
    redirected = Promise.withResolvers();
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => mock.timers.reset());

  /** Starts a login. `done` settles with its outcome, and `isOver` returns whether it has ended. */
  async function walk(
    usesDevice: boolean,
    timeoutMs: number | undefined,
    answers: Answers = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<{ readonly done: Promise<unknown>; readonly isOver: () => boolean }> {
    const fetch: typeof globalThis.fetch = async (input) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      return await Promise.resolve(answers[pathname]?.() ?? Response.json({}, { status: 404 }));
    };
    const web = await OauthWeb.open({
      named: [],
      environment: {},
      openFetch: () => Promise.resolve({ fetch, close: () => Promise.resolve() }),
    });
    const metadata = {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      device_authorization_endpoint: `${ISSUER}/device`,
    };
    const login: LoginWalk = {
      remoteUrl: 'https://mcp.acme.example/mcp',
      place: {
        server: { issuer: ISSUER, metadata, scopes: [] },
        scopes: undefined,
        resource: 'https://mcp.acme.example/mcp',
        usesDevice,
      },
      provided: {
        client: { clientId: 'portolan', clientSecret: undefined },
        registered: undefined,
        isNew: false,
        listener: {
          redirectUri: REDIRECT_URI,
          redirected: () => redirected.promise,
          close: () => Promise.resolve(),
        },
      },
      person: {
        isThere: true,
        hasBrowser: false,
        showLogin: async (prompt) => void prompts.push(prompt),
        onMoreTime: (then) => {
          pressEnter = then;
          return () => (pressEnter = undefined);
        },
      },
      forWhat: 'notes',
      timeoutMs,
      skipsBrowser: false,
      scopeParamName: 'scope',
      extra: {},
      web,
      clock: () => new Date(NOW),
    };
    const state = { isOver: false };
    const done = walkLogin(login, signal).finally(() => {
      state.isOver = true;
    });
    done.catch(() => undefined);
    await pass(0);
    while (prompts.length === 0 && !state.isOver) await breathe();
    await pass(0);
    return { done, isOver: () => state.isOver };
  }

  /** Advances the mocked clock and lets pending promises run. */
  async function pass(seconds: number): Promise<void> {
    for (let left = seconds; left >= 0; left -= 1) {
      mock.timers.tick(Math.min(left, 1) * 1000);
      for (let turns = 0; turns < 5; turns += 1) await breathe();
    }
  }

  it('waits 30 s, and five minutes more each time Enter is pressed', async () => {
    const { done, isOver } = await walk(false, undefined);
    expect(prompts[0]).to.include({ isExtensible: true, code: undefined });
    expect(prompts[0]).to.include({ at: 'login.acme.example', tokenFor: 'mcp.acme.example' });
    await pass(29);
    expect(isOver()).to.equal(false);
    const until = pressEnter?.().getTime() ?? 0;
    // Five minutes and 30 s, minus the time since `NOW`.
    expect(until - NOW).to.be.within(305_000, 330_000);
    pressEnter?.();
    await pass(598);
    expect(isOver()).to.equal(false);
    await pass(40);
    expect(await caught(() => done)).to.include({
      code: 'ERR_LOGIN_TIMEOUT',
      message: 'The login was not completed within 630 s.',
    });
    expect(pressEnter).to.equal(undefined);
  });

  for (const [timeoutMs, seconds] of [
    [undefined, 30],
    [0, 300],
    [2000, 2],
  ] as const) {
    it(`with --remote-auth-timeout=${timeoutMs} (ms) waits ${seconds} s, which Enter extends only without a given timeout`, async () => {
      const { done, isOver } = await walk(false, timeoutMs);
      const isExtensible = timeoutMs === undefined;
      expect(prompts[0]).to.include({ isExtensible });
      expect(pressEnter !== undefined).to.equal(isExtensible);
      await pass(seconds - 1);
      expect(isOver()).to.equal(false);
      await pass(2);
      expect(await caught(() => done)).to.include({ code: 'ERR_LOGIN_TIMEOUT' });
    });
  }

  const begun = { device_code: 'secret', user_code: 'WDJB-MJHT', verification_uri: `${ISSUER}/activate` };
  const pending = (): Response => Response.json({ error: 'authorization_pending' }, { status: 400 });

  it('on another device › waits until the code expires, despite temporary errors of the server', async () => {
    const answers = [
      pending,
      () => Response.json({ error: 'slow_down' }, { status: 400 }),
      () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
      () => {
        throw new TypeError('fetch failed');
      },
      pending,
    ];
    let asked = 0;
    const { done, isOver } = await walk(true, undefined, {
      '/device': () => Response.json({ ...begun, expires_in: 900 }),
      '/token': () => {
        asked += 1;
        return (answers[asked - 1] ?? (asked < 60 ? pending : () => Response.json(TOKENS)))();
      },
    });
    expect(prompts[0]).to.include({ code: 'WDJB-MJHT', isExtensible: false });
    await pass(120);
    expect(isOver()).to.equal(false);
    expect(asked).to.be.within(10, 24);
    await pass(600);
    expect(await done).to.include({ accessToken: 'given' });
  });

  it('on another device › polls at most once a second, and throws ERR_LOGIN_REFUSED when the server refuses', async () => {
    let asked = 0;
    const { done } = await walk(true, undefined, {
      '/device': () => Response.json({ ...begun, expires_in: 900, interval: 0.001 }),
      '/token': () => {
        asked += 1;
        return asked < 5 ? pending() : Response.json({ error: 'access_denied' }, { status: 400 });
      },
    });
    await pass(4);
    expect(asked).to.be.at.most(4);
    await pass(10);
    expect(await caught(() => done)).to.include({ code: 'ERR_LOGIN_REFUSED' });
  });

  for (const seconds of [0.0015, 1e-9]) {
    it(`on another device › throws ERR_LOGIN_TIMEOUT for a code that expires after ${seconds} s`, async () => {
      const { done } = await walk(true, undefined, {
        '/device': () => Response.json({ ...begun, expires_in: seconds }),
        '/token': pending,
      });
      expect(await caught(() => done)).to.include({ code: 'ERR_LOGIN_TIMEOUT' });
    });
  }

  it('on another device › rejects at once when the signal aborts', async () => {
    const giveUp = new AbortController();
    const answers = { '/device': () => Response.json({ ...begun, expires_in: 1e300 }), '/token': pending };
    const { done } = await walk(true, undefined, answers, giveUp.signal);
    giveUp.abort(new Error('stopped by SIGINT'));
    expect(await done.catch(String)).to.equal('Error: stopped by SIGINT');
  });
});
