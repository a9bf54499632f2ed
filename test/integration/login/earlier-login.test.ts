import { openFetch } from '@portolan/outbound';
import type { JsonObject } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { parseRunConfig, remoteAuthOf, type RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import {
  OauthWorld,
  type OauthWorldOptions,
} from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { logIn } from '../../../packages/workload/src/login/log-in.ts';
import type { LoggedIn } from '../../../packages/workload/src/login/logged-in.ts';
import { logOut } from '../../../packages/workload/src/login/log-in-again.ts';
import type { Person } from '../../../packages/workload/src/login/person.ts';
import { ownProcess } from '../../../packages/workload/src/state/process-identity.ts';
import type { WorkloadContext } from '../../../packages/workload/src/workload-context.ts';
import { keepContext, MemoryStore } from '../../../packages/workload/test/support/keep-context.ts';
import { freePort } from '../../support/free-port.ts';
import { TemporaryFolders } from '../../support/temporary-folders.ts';

const { signal } = new AbortController();
/** Fields that only Portolan writes. Files of the other tool lack them. */
const OURS = ['enabled', 'cached_issuer', 'cached_resource', 'cached_scopes', 'cached_subject'];

describe('logIn with a run config that holds an earlier login', function () {
  this.timeout(180_000);
  const folders = new TemporaryFolders();
  let world: OauthWorld;
  let store: MemoryStore;
  let context: WorkloadContext;
  let shown: number;
  afterEach(async () => {
    await world.close();
    await folders.removeAll();
  });

  async function open(options: OauthWorldOptions = {}): Promise<void> {
    world = await OauthWorld.open(options);
    store = new MemoryStore();
    shown = 0;
    const base = keepContext(await folders.make(), { store });
    context = { ...base, openFetch, logger: createRecordingLogger() };
  }

  const person: Person = {
    isThere: true,
    hasBrowser: true,
    showLogin: async ({ url }) => {
      shown += 1;
      void world.visit(url);
    },
    onMoreTime: () => () => undefined,
  };

  async function loginOf(
    config: RunConfig,
    who: 'person' | 'nobody' = 'person',
  ): Promise<LoggedIn | undefined> {
    const none = (): void => undefined;
    const observer = {
      step: none,
      note: none,
      warn: none,
      ...(who === 'nobody' ? {} : { person }),
    };
    const loggedIn = await logIn({ config, secrets: {}, isAsked: false }, context, observer, signal);
    for (const { name, value } of loggedIn?.secrets ?? [])
      store.secrets.set(`__portolan_workloads_${name}`, value);
    return loggedIn;
  }

  function read(auth: JsonObject, name = 'notes'): RunConfig {
    const document = {
      schema_version: 'v0.1.0',
      name,
      remote_url: world.remote,
      transport: 'streamable-http',
      remote_auth_config: auth,
    };
    return parseRunConfig(JSON.stringify(document), 'notes.json').config;
  }

  /** Document that an earlier login has left, in the form of Portolan or of the other tool. */
  async function left(by: 'Portolan' | 'other'): Promise<Record<string, unknown>> {
    const first = await loginOf(read({ enabled: true, callback_port: await freePort() }));
    const { callback_port: _port, ...auth } = { ...first?.config.remote_auth_config };
    shown = 0;
    world.tokenRequests.length = 0;
    const keys = Object.entries(auth).filter(([key]) => by === 'Portolan' || !OURS.includes(key));
    return { ...Object.fromEntries(keys), use_pkce: true };
  }

  const grants = (): readonly (string | null)[] => world.tokenRequests.map((sent) => sent.get('grant_type'));

  for (const by of ['Portolan', 'other'] as const) {
    it(`written by ${by} › continues the login without a question`, async () => {
      await open();
      const auth = await left(by);
      const [registered, before] = [world.registered, store.secrets.get(TOKEN)];
      const again = await loginOf(read({ ...auth }), 'nobody');
      expect(again).to.include({ isEarlier: true });
      expect([shown, world.registered - registered, grants()]).to.deep.equal([0, 0, ['refresh_token']]);
      const { login } = remoteAuthOf({ remote_auth_config: again?.config.remote_auth_config });
      expect(login).to.include({
        issuer: world.issuer,
        resource: world.remote,
        refreshToken: 'OAUTH_REFRESH_TOKEN_notes,target=refresh_token',
      });
      expect(store.secrets.get(TOKEN)).to.be.a('string').and.not.to.equal(before);
    });
  }

  it('finds the stored token by its bare name, or by the name that another tool uses when that one is taken', async () => {
    await open();
    const auth = await left('other');
    const name = 'OAUTH_REFRESH_TOKEN_later-1732896000-0a1b2c3d';
    store.secrets.set(name, store.secrets.get(TOKEN) ?? '');
    store.secrets.delete(TOKEN);
    const named = { ...auth, cached_refresh_token_ref: `${name},target=refresh_token` };
    const again = await loginOf(read(named, 'later'), 'nobody');
    const { cached_refresh_token_ref: reference } = { ...again?.config.remote_auth_config };
    expect(reference).to.equal(named.cached_refresh_token_ref);
    expect(again?.secrets).to.deep.equal([]);
    expect(store.secrets.has(`__portolan_workloads_${name}`)).to.equal(true);
    await context.store.claim({ ...read(named, 'later'), ...again?.config }, await ownProcess());
    expect(await logOut('later', context, signal)).to.include({ revoked: true });
    expect(store.secrets.has(`__portolan_workloads_${name}`)).to.equal(false);
  });

  for (const name of [
    'GITHUB_TOKEN',
    'OAUTH_REFRESH_TOKEN_gone',
    '__portolan_workloads_OAUTH_REFRESH_TOKEN_notes',
  ]) {
    it(`ignores the secret ${name}, which is not a login of this workload`, async () => {
      await open();
      const auth = await left('other');
      store.secrets.set(name, store.secrets.get(TOKEN) ?? '');
      const named = { ...auth, cached_refresh_token_ref: `${name},target=refresh_token` };
      expect(await loginOf(read(named, 'later'), 'nobody')).to.equal(undefined);
      expect(grants()).to.deep.equal([]);
    });
  }

  it('starts its own login when another workload uses the earlier one', async () => {
    await open();
    const auth = await left('Portolan');
    await context.store.claim(read({ ...auth }), await ownProcess());
    const other = await loginOf(read({ ...auth }, 'other'));
    expect([other?.isEarlier, shown, grants()]).to.deep.equal([false, 1, ['authorization_code']]);
    expect(other?.secrets.map(({ name }) => name)).to.include('OAUTH_REFRESH_TOKEN_other');
  });

  it('starts a new login with the registered client when the earlier login has ended, or none without a terminal', async () => {
    await open();
    const auth = await left('Portolan');
    await world.forgetGrants();
    expect(await loginOf(read({ ...auth }), 'nobody')).to.equal(undefined);
    const registered = world.registered;
    const again = await loginOf(read({ ...auth }));
    expect([again?.isEarlier, shown, world.registered - registered]).to.deep.equal([false, 1, 0]);
  });

  const strangers: readonly (readonly [what: string, edit: JsonObject])[] = [
    ['at another issuer', { cached_issuer: 'https://id.other.example' }],
    ['whose client is looked after elsewhere', { cached_reg_client_uri: 'https://id.other.example/c' }],
    [
      'of a client with a secret, of which the file does not say whose it is',
      {
        cached_client_secret_ref: 'OAUTH_CLIENT_SECRET_notes,target=oauth_secret',
        cached_reg_client_uri: '',
      },
    ],
  ];
  for (const [what, edit] of strangers) {
    it(`starts a new login and sends no stored token or secret when the login is one ${what}`, async () => {
      await open();
      const auth = { ...(await left('other')), ...edit };
      store.secrets.set('__portolan_workloads_OAUTH_CLIENT_SECRET_notes', 'the secret of a client');
      const bodies: string[] = [];
      const again = await loginOf(read(auth));
      bodies.push(...world.tokenRequests.map(String));
      expect([again?.isEarlier, shown, grants()]).to.deep.equal([false, 1, ['authorization_code']]);
      expect(bodies.join('\n')).to.not.include('secret+of+a+client');
    });
  }
});

const TOKEN = '__portolan_workloads_OAUTH_REFRESH_TOKEN_notes';
