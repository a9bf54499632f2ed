import { type OutgoingCredentials, PortolanError, type SecretStore } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { createRunConfig, remoteAuthOf } from '@portolan/run-spec';
import { openFetch } from '@portolan/outbound';
import { expect } from 'chai';
import { Agent, fetch } from 'undici';
import {
  OauthWorld,
  type OauthWorldOptions,
} from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { logInAgain } from '../../../packages/workload/src/login/log-in-again.ts';
import { watchLogin, type WatchedLogin } from '../../../packages/workload/src/login/workload-login.ts';
import { LoginRenewal } from '../../../plugins/credentials-oauth/src/login-renewal.ts';
import { openCredentials } from '../../../plugins/credentials-oauth/src/open-credentials.ts';
import type { Person } from '../../../packages/workload/src/login/person.ts';
import { ownProcess } from '../../../packages/workload/src/state/process-identity.ts';
import type { WorkloadContext } from '../../../packages/workload/src/workload-context.ts';
import {
  type KeepOptions,
  keepContext,
  MemoryStore,
} from '../../../packages/workload/test/support/keep-context.ts';
import { freePort } from '../../support/free-port.ts';
import { TemporaryFolders } from '../../support/temporary-folders.ts';

const CALL = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };
const OUTGOING = { ...CALL, headers: {}, bodyHash: () => Promise.resolve('') };
const { signal } = new AbortController();
/** Agent with at most as many connections as a server queues, and timeouts for a busy machine. */
const AGENT = new Agent({ connect: { timeout: 50_000 }, connections: 200 });

describe('faults of a login', function () {
  this.timeout(180_000);
  const folders = new TemporaryFolders();
  const opened: (() => unknown)[] = [];
  let world: OauthWorld;
  let shown: string[];
  after(() => AGENT.destroy());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((close) => close()));
    await world.close();
    await folders.removeAll();
  });

  /** A workload of a remote that requires a login. */
  async function workload(options: OauthWorldOptions, keep: KeepOptions = {}): Promise<WorkloadContext> {
    world = await OauthWorld.open(options);
    shown = [];
    const base = keepContext(await folders.make(), keep);
    const context = { ...base, openFetch, logger: createRecordingLogger() };
    const config = createRunConfig({
      name: 'notes',
      remote_url: world.remote,
      transport: 'streamable-http',
      group: 'default',
      remote_auth_config: { enabled: true, callback_port: await freePort() },
    });
    await context.store.claim(config, await ownProcess());
    return context;
  }

  /** A person who follows every redirect. */
  function person(): Person {
    return {
      isThere: true,
      hasBrowser: true,
      showLogin: async ({ url }) => {
        shown.push(url);
        void world.visit(url);
      },
      onMoreTime: () => () => undefined,
    };
  }

  async function logIn(context: WorkloadContext, more: readonly string[] = []): Promise<unknown> {
    const observer = {
      step: () => undefined,
      note: () => undefined,
      warn: () => undefined,
      person: person(),
    };
    return await logInAgain('notes', context, observer, signal, more);
  }

  async function open(
    context: WorkloadContext,
    stepUp?: (scopes: readonly string[]) => Promise<void>,
  ): Promise<OutgoingCredentials> {
    const login = await watch(context, stepUp);
    const credentials = openCredentials({ ...context, server: server(), changed: () => undefined, login });
    opened.push(() => credentials.close());
    return credentials;
  }

  function server() {
    return { workload: 'notes', url: new URL(world.remote) };
  }

  async function watch(
    context: WorkloadContext,
    stepUp?: (scopes: readonly string[]) => Promise<void>,
  ): Promise<WatchedLogin> {
    const { config } = await context.store.getConfig('notes');
    const login = await watchLogin(
      { config, secrets: {}, handed: undefined, lacks: () => undefined, stepUp },
      context,
    );
    opened.push(() => login.close());
    return login;
  }

  async function renewalIn(context: WorkloadContext): Promise<LoginRenewal> {
    return new LoginRenewal({ ...context, server: server(), login: await watch(context) });
  }

  /**
   * Sends a request with credentials to the remote, a second time if the credentials change, and returns its
   * status.
   */
  async function ask(login: OutgoingCredentials): Promise<number> {
    for (let times = 0; ; times += 1) {
      const proof = await login.credentials({ ...OUTGOING, url: new URL(world.remote) }, signal);
      const headers = Object.fromEntries(proof.map(({ name, value }) => [name, value]));
      const { status } = await fetch(world.remote, { ...CALL, headers, dispatcher: AGENT });
      if (status !== 401 || times === 1) return status;
      await login.refused?.(proof, { status: 401, challenge: undefined });
    }
  }

  function refreshes(): number {
    return world.tokenRequests.filter((request) => request.get('grant_type') === 'refresh_token').length;
  }

  const broken = (fault: Error): SecretStore =>
    Object.assign(new MemoryStore(), {
      set: async () => {
        throw fault;
      },
    });
  const stores: readonly (readonly [what: string, keep: KeepOptions, says: RegExp])[] = [
    [
      'locked',
      { store: broken(new PortolanError('ERR_SECRETS_LOCKED', 'refused', 'It is locked.')) },
      /locked/,
    ],
    ['read-only by its kind', { can: [] }, /not writable/],
    [
      'on a read-only disk',
      { store: broken(Object.assign(new Error('EROFS: read-only'), { code: 'EROFS' })) },
      /EROFS/,
    ],
    [
      'on a full disk',
      { store: broken(Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' })) },
      /ENOSPC/,
    ],
  ];
  for (const [what, keep, says] of stores) {
    it(`fails before it opens the browser and registers a client when the secret store is ${what}`, async () => {
      const context = await workload({}, keep);
      const error = await logIn(context).catch((thrown: unknown) => thrown);
      expect(error)
        .to.include({ code: 'ERR_LOGIN_NOT_KEPT' })
        .and.have.property('message')
        .that.matches(says);
      expect([shown, world.registered, world.tokenRequests]).to.deep.equal([[], 0, []]);
    });
  }

  it('renews once when the token of 1,000 concurrent requests is revoked, and fails none', async () => {
    const context = await workload({});
    await logIn(context);
    const login = await open(context);
    expect(await ask(login)).to.equal(200);
    const before = refreshes();
    await world.forgetTokens();
    const answers = await Promise.all(Array.from({ length: 1000 }, () => ask(login)));
    expect(new Set(answers)).to.deep.equal(new Set([200]));
    expect(refreshes() - before).to.equal(1);
  });

  it('gives two supervisors and a concurrent login valid tokens, and keeps the last login', async () => {
    const context = await workload({});
    await logIn(context);
    const [one, other] = [await open(context), await open(context)];
    await Promise.all([ask(one), logIn(context), ask(other)]);
    for (const login of [one, other]) await eventually(async () => expect(await ask(login)).to.equal(200));
    const renewal = await renewalIn(context);
    expect((await renewal.renew(signal)).refreshToken).to.be.a('string');
    expect(await ask(one)).to.equal(200);
  });

  it('uses a renewed token that cannot be stored, until a later login replaces it', async () => {
    const store = new MemoryStore();
    const context = await workload({}, { store });
    await logIn(context);
    const renewal = await renewalIn(context);
    const set = store.set.bind(store);
    store.set = () => Promise.reject(new Error('ENOSPC'));
    const first = await renewal.renew(signal);
    const second = await renewal.renew(signal);
    expect(second.refreshToken).to.not.equal(first.refreshToken);
    store.set = set;
    await logIn(context);
    const kept = [...store.secrets.values()];
    const third = await renewal.renew(signal);
    expect(kept).to.not.include(second.refreshToken);
    expect(third.refreshToken).to.be.a('string');
    expect([...store.secrets.values()]).to.include(third.refreshToken);
  });

  it('retries a request with the missing scope after the user at the terminal consents', async () => {
    const context = await workload({ guardsCalls: true });
    await logIn(context);
    const login = await open(context, async (scopes) => void (await logIn(context, scopes)));
    const call = async (): Promise<Response> => {
      const proof = await login.credentials({ ...OUTGOING, url: new URL(world.remote) }, signal);
      const headers = Object.fromEntries(proof.map(({ name, value }) => [name, value]));
      return await fetch(world.remote, { ...CALL, body: CALL.body.replace('list', 'call'), headers });
    };
    const refused = await call();
    expect(refused.status).to.equal(403);
    const challenge = refused.headers.get('www-authenticate') ?? undefined;
    expect(await login.refused?.([], { status: 403, challenge })).to.equal(true);
    expect((await call()).status).to.equal(200);
    expect(shown).to.have.lengthOf(2);
    expect(new URL(shown[1] ?? '').searchParams.get('scope')?.split(' ')).to.include.members([
      'mcp.read',
      'mcp.write',
    ]);
  });

  for (const hours of [1, -1]) {
    it(`keeps the login when the clock moves by ${hours} h`, async () => {
      const context = await workload({});
      let moved = 0;
      const moving = { ...context, clock: () => new Date(Date.now() + moved) };
      await logIn(moving);
      const login = await open(moving);
      expect(await ask(login)).to.equal(200);
      moved = hours * 3600_000;
      expect(await ask(login)).to.equal(200);
      await world.forgetTokens();
      expect(await ask(login)).to.equal(200);
      const { config } = await context.store.getConfig('notes');
      expect(remoteAuthOf(config).login?.refreshToken).to.be.a('string');
    });
  }
});
