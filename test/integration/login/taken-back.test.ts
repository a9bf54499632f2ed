import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openFetch } from '@portolan/outbound';
import { PortolanError } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { createRunConfig, remoteAuthOf } from '@portolan/run-spec';
import { expect } from 'chai';
import { OauthWorld } from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { logInAgain, logOut } from '../../../packages/workload/src/login/log-in-again.ts';
import { removeWorkloads } from '../../../packages/workload/src/run/operations/remove-workloads.ts';
import type { WorkloadContext } from '../../../packages/workload/src/workload-context.ts';
import { keepContext, MemoryStore } from '../../../packages/workload/test/support/keep-context.ts';
import { caught } from '../../support/caught.ts';
import { TemporaryFolders } from '../../support/temporary-folders.ts';

const { signal } = new AbortController();
const nothing = (): void => undefined;

/** A secret store that a test can lock. */
class LockableStore extends MemoryStore {
  isLocked = false;

  #open(): void {
    if (this.isLocked)
      throw new PortolanError('ERR_SECRET_STORE_LOCKED', 'refused', 'The secrets are locked.', {
        hint: 'Unlock them.',
      });
  }

  override async find(name: string): Promise<string | undefined> {
    this.#open();
    return await super.find(name);
  }

  override async delete(name: string): Promise<boolean> {
    this.#open();
    return await super.delete(name);
  }
}

describe('revocation of a login', function () {
  this.timeout(180_000);
  const folders = new TemporaryFolders();
  let world: OauthWorld;
  let store: LockableStore;
  let context: WorkloadContext;
  /** Revocation endpoint, in place of the default one. */
  let revoking: Server;
  let answer: { readonly status: number; readonly body: object };

  beforeEach(async () => {
    revoking = createServer((_request, response) => {
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    });
    revoking.listen(0, '127.0.0.1');
    await once(revoking, 'listening');
    world = await OauthWorld.open();
    store = new LockableStore();
    context = {
      ...keepContext(await folders.make(), { store }),
      openFetch,
      logger: createRecordingLogger(),
    };
    const config = createRunConfig({
      name: 'notes',
      remote_url: world.remote,
      transport: 'streamable-http',
      group: 'default',
      remote_auth_config: { enabled: true, callback_port: 0 },
    });
    // No process has this id.
    await context.store.claim(config, { pid: 2 ** 22 + 5, started: 'never' });
    const person = {
      isThere: true,
      hasBrowser: true,
      showLogin: async ({ url }: { readonly url: string }) => void world.visit(url),
      onMoreTime: () => nothing,
    };
    await logInAgain('notes', context, { step: nothing, note: nothing, warn: nothing, person }, signal);
  });
  afterEach(async () => {
    await world.close();
    revoking.closeAllConnections();
    if (revoking.listening) await new Promise((closed) => revoking.close(closed));
    await folders.removeAll();
  });

  function revokesAt(endpoint: string | undefined): void {
    world.edit = (_path, document) => ({ ...document, revocation_endpoint: endpoint });
  }

  /** Sets a revocation endpoint with this response. */
  function revokesWith(status: number, body: object): void {
    answer = { status, body };
    // SAFETY: a TCP server has an address of this form.
    revokesAt(`http://localhost:${(revoking.address() as AddressInfo).port}/revoke`);
  }

  const answers: readonly (readonly [what: string, prepare: () => void, says: RegExp])[] = [
    ['has nowhere to do that', () => revokesAt(undefined), /cannot revoke tokens: the last one is valid/],
    [
      'says no',
      () => revokesWith(400, { error: 'unsupported_token_type' }),
      /has refused to revoke the tokens \(unsupported_token_type\)/,
    ],
    ['is in trouble', () => revokesWith(503, {}), /could not be reached to revoke the tokens \(.+\): /],
    [
      'is away',
      () => {
        revokesWith(503, {});
        revoking.close();
      },
      /could not be reached to revoke the tokens \(.*ECONNREFUSED.*\): /,
    ],
  ];
  for (const [what, prepare, says] of answers) {
    it(`logout › reports the state of the tokens when the server ${what}`, async () => {
      prepare();
      const { revoked, notes } = await logOut('notes', context, signal);
      expect(revoked).to.equal(false);
      expect(notes.join()).to.match(says).and.to.include(world.issuer);
      expect([...store.secrets.keys()].join()).to.not.include('OAUTH_REFRESH_TOKEN');
    });
  }

  it('logout › changes nothing when the secret store is locked, and works later', async () => {
    store.isLocked = true;
    expect((await caught(() => logOut('notes', context, signal))).code).to.equal('ERR_SECRET_STORE_LOCKED');
    store.isLocked = false;
    expect(await logOut('notes', context, signal)).to.deep.include({ revoked: true, notes: [] });
    expect([...store.secrets.keys()].join()).to.not.include('OAUTH_REFRESH_TOKEN');
  });

  it('rm › names the tokens and the client that remain at the server when the secret store is locked', async () => {
    const { login } = remoteAuthOf((await context.store.getConfig('notes')).config);
    store.isLocked = true;
    const [removed] = await removeWorkloads(['notes'], context, signal);
    expect(removed).to.include({ changed: true, error: undefined });
    expect(removed?.notes.filter((note) => note.includes(world.issuer))).to.deep.equal([
      `The tokens were not revoked at ${world.issuer}, because the secret store cannot be read (The secrets are locked): ` +
        `revoke its tokens and the client ${login?.clientId} there manually.`,
    ]);
    expect([world.revoked, world.unregistered]).to.deep.equal([[], []]);
  });

  it('rm › prints no note about the server after a complete revocation', async () => {
    const [removed] = await removeWorkloads(['notes'], context, signal);
    expect(removed?.notes).to.deep.equal([]);
    expect([world.revoked.length, world.unregistered.length]).to.deep.equal([1, 1]);
  });
});
