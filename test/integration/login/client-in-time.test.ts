import { openFetch } from '@portolan/outbound';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { createRunConfig, remoteAuthOf, type StoredLogin, withLogin } from '@portolan/run-spec';
import { expect } from 'chai';
import { OauthWorld } from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { describeLogin } from '../../../packages/workload/src/login/describe-login.ts';
import { logIn } from '../../../packages/workload/src/login/log-in.ts';
import { logInAgain, takeBack } from '../../../packages/workload/src/login/log-in-again.ts';
import { watchLogin } from '../../../packages/workload/src/login/workload-login.ts';
import { ownProcess } from '../../../packages/workload/src/state/process-identity.ts';
import type { WorkloadContext } from '../../../packages/workload/src/workload-context.ts';
import { keepContext, MemoryStore } from '../../../packages/workload/test/support/keep-context.ts';
import { LoginRenewal } from '../../../plugins/credentials-oauth/src/login-renewal.ts';
import { freePort } from '../../support/free-port.ts';
import { TemporaryFolders } from '../../support/temporary-folders.ts';

const { signal } = new AbortController();
const REGISTRATION = '__portolan_workloads_OAUTH_REG_TOKEN_notes';
const HOUR_MS = 3600_000;

describe('renewal of an OAuth client whose secret expires within a day', function () {
  this.timeout(180_000);
  const folders = new TemporaryFolders();
  let world: OauthWorld;
  let store: MemoryStore;
  let context: WorkloadContext;
  let managed: number;
  const closing: (() => void)[] = [];

  beforeEach(async () => {
    world = await OauthWorld.open();
    // A server with a secret for each client.
    world.edit = (_path, document) => ({
      ...document,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    });
    store = new MemoryStore();
    const base = keepContext(await folders.make(), { store });
    context = { ...base, openFetch, logger: createRecordingLogger() };
    const config = createRunConfig({
      name: 'notes',
      remote_url: world.remote,
      transport: 'streamable-http',
      group: 'default',
      remote_auth_config: { enabled: true, callback_port: await freePort() },
    });
    await context.store.claim(config, await ownProcess());
    const none = (): undefined => undefined;
    const person = {
      isThere: true,
      hasBrowser: true,
      showLogin: async ({ url }: { readonly url: string }) => void world.visit(url),
      onMoreTime: () => none,
    };
    await logInAgain('notes', context, { step: none, note: none, warn: none, person }, signal);
    managed = 0;
    world.watch = (path) => {
      if (path.startsWith('/reg/')) managed += 1;
    };
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) close();
    await world.close();
    await folders.removeAll();
  });

  async function login(): Promise<StoredLogin | undefined> {
    return remoteAuthOf((await context.store.getConfig('notes')).config).login;
  }

  /** Returns the seconds until the client secret expires, as the server reports them. */
  async function endsIn(ms: number): Promise<void> {
    const secretExpiresAt = new Date(Date.now() + ms).toISOString();
    await context.store.changeConfig('notes', (config) => {
      const { login: now } = remoteAuthOf(config);
      if (now === undefined) throw new Error('nobody is logged in');
      return {
        ...config,
        remote_auth_config: withLogin(config.remote_auth_config, { ...now, secretExpiresAt }),
      };
    });
  }

  async function renewal(): Promise<LoginRenewal> {
    const { config } = await context.store.getConfig('notes');
    const none = (): undefined => undefined;
    const kept = await watchLogin(
      { config, secrets: {}, handed: undefined, lacks: none, stepUp: undefined },
      context,
    );
    closing.push(() => kept.close());
    return new LoginRenewal({
      ...context,
      server: { workload: 'notes', url: new URL(world.remote) },
      login: kept,
    });
  }

  for (const [ms, times] of [
    [48 * HOUR_MS, 0],
    [23 * HOUR_MS, 1],
    [-HOUR_MS, 1],
  ] as const) {
    it(`in ${ms / HOUR_MS} h › renews the client ${times} times and stores the response`, async () => {
      await endsIn(ms);
      const before = store.secrets.get(REGISTRATION);
      const running = await renewal();
      await running.renew(signal);
      // The server registers no clients for the scopes of the remote, so the registration is repeated without
      // them.
      expect(managed).to.equal(2 * times);
      await running.renew(signal);
      expect(managed).to.equal(2 * times);
      expect(store.secrets.get(REGISTRATION) !== before).to.equal(times > 0);
      // Secrets of this server do not expire.
      expect((await login())?.secretExpiresAt === undefined).to.equal(times > 0);
      const { config } = await context.store.getConfig('notes');
      expect(await takeBack(config, context, { unregisters: true }, signal)).to.not.equal(false);
      expect(world.unregistered).to.deep.equal([(await login())?.clientId]);
    });
  }

  it('renews the client from memory while the store fails, and stores it when the store works again', async () => {
    await endsIn(HOUR_MS);
    const set = store.set.bind(store);
    store.set = async (name, value) => {
      if (name === REGISTRATION) throw new Error('ENOSPC');
      await set(name, value);
    };
    const before = store.secrets.get(REGISTRATION);
    const running = await renewal();
    await running.renew(signal);
    expect([managed, store.secrets.get(REGISTRATION)]).to.deep.equal([2, before]);
    store.set = set;
    await running.renew(signal);
    expect(managed).to.equal(2);
    expect(store.secrets.get(REGISTRATION)).to.not.equal(before);
    expect((await login())?.secretExpiresAt).to.equal(undefined);
  });

  it('uses the client unchanged when the server does not renew it', async () => {
    await endsIn(HOUR_MS);
    store.secrets.set(REGISTRATION, 'another-token');
    const running = await renewal();
    expect((await running.renew(signal)).accessToken).to.be.a('string');
    expect(managed).to.equal(1);
    expect((await login())?.secretExpiresAt).to.be.a('string');
  });

  it('renews the client before another run continues an earlier login, without a question', async () => {
    await endsIn(HOUR_MS);
    const before = store.secrets.get(REGISTRATION);
    const { config } = await context.store.getConfig('notes');
    const none = (): undefined => undefined;
    const again = await logIn(
      { config, secrets: {}, isAsked: false },
      context,
      { step: none, note: none, warn: none },
      signal,
    );
    expect(again).to.include({ isEarlier: true });
    expect(managed).to.equal(2);
    expect(store.secrets.get(REGISTRATION)).to.not.equal(before);
    const { login: now } = remoteAuthOf({ remote_auth_config: again?.config.remote_auth_config });
    expect(now?.secretExpiresAt).to.equal(undefined);
  });

  it('updates the expiry time of the token after each renewal', async () => {
    const until = async (): Promise<number> =>
      Date.parse(describeLogin((await context.store.getConfig('notes')).config)?.expires_at ?? '');
    const first = await until();
    world.tokenSeconds = 7200;
    await (await renewal()).renew(signal);
    expect((await until()) - first).to.be.at.least(3600_000 - 1000);
  });
});
