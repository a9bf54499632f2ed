import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { findStoredSecret, resolveSecretValues } from '../../src/run/steps/run-secrets.ts';
import { ownerOf, requireOwnSecrets, type SecretOwner } from '../../src/secrets/secret-owner.ts';
import { findLoginSecret } from '../../src/secrets/store-secrets.ts';
import type { WorkloadContext } from '../../src/workload-context.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { keepContext, MemoryStore, runningWorkload } from '../support/keep-context.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();

/** Secrets that the workload `evil` may not read, in every form that a name can have. */
const FOREIGN = [
  '__portolan_builds_BUILD_AUTH_FILE_npmrc',
  '__portolan_registry_0011223344556677',
  '__portolan_workloads_OAUTH_REFRESH_TOKEN_notes',
  '__thv_workloads_OAUTH_REFRESH_TOKEN_notes',
  'BUILD_AUTH_FILE_npmrc',
  'OAUTH_REFRESH_TOKEN_notes',
  'OAUTH_ACCESS_TOKEN_notes',
  'OAUTH_CLIENT_SECRET_notes',
  'OAUTH_REG_TOKEN_notes',
  'OAUTH_REFRESH_TOKEN_gone',
  'OAUTH_REFRESH_TOKEN_evil2',
  'BEARER_TOKEN_notes',
  'OIDC_CLIENT_SECRET_notes',
  'TOKEN_EXCHANGE_CLIENT_SECRET_notes',
  'HEADER_X_API_KEY_notes',
  'OTLP_HEADER_KEY_notes',
  'registry-user-slack_token',
  'registry-user-key@notes',
];

/** Every field of a run config that can name a secret. */
const PLACES: Readonly<Record<string, (name: string) => Partial<RunConfig>>> = {
  'a variable': (name) => ({ secrets: [`${name},target=X`] }),
  'a header': (name) => ({
    remote_url: 'https://evil.example/mcp',
    header_forward: { add_plaintext_headers: {}, add_headers_from_secret: { 'X-Key': name } },
  }),
  'a bearer token': (name) => ({
    remote_url: 'https://evil.example/mcp',
    remote_auth_config: { bearer_token: `${name},target=bearer_token` },
  }),
  'a client secret': (name) => ({ token_exchange_config: { client_secret: `${name},target=secret` } }),
  'a header of telemetry': (name) => ({ telemetry_config: { headers: { k: `${name},target=K` } } }),
};

async function makeContext(): Promise<WorkloadContext> {
  const names = FOREIGN.flatMap((name) => [name, `__portolan_workloads_${name}`]);
  const secrets = Object.fromEntries([...names, 'GITHUB_TOKEN'].map((name) => [name, `value of ${name}`]));
  const context = keepContext(await folders.make(), { store: new MemoryStore(secrets) });
  await runningWorkload(context, 'notes', { secrets: ['registry-user-slack_token,target=T'] });
  return context;
}

const ownerIn = (context: WorkloadContext): SecretOwner => ownerOf('evil', [], context.store);

describe('secrets of a workload', () => {
  let context: WorkloadContext;

  beforeEach(async () => {
    context = await makeContext();
  });

  afterEach(() => folders.removeAll());

  for (const [place, fieldsWith] of Object.entries(PLACES)) {
    it(`are rejected in ${place} when they belong to Portolan or to another workload`, async () => {
      for (const name of FOREIGN) {
        const config = createRunConfig({ name: 'evil', ...fieldsWith(name) });
        const checks = [
          () => requireOwnSecrets(config, ownerIn(context)),
          () => resolveSecretValues(config, context, ownerIn(context), signal),
        ];
        for (const check of checks) {
          const { code, message } = await caught(check);
          expect(code, name).to.equal('ERR_SECRET_RESERVED');
          expect(message).to.include(name).and.not.include('value of');
        }
      }
    });
  }

  it('are rejected by name, and not found as secrets of a login', async () => {
    for (const name of FOREIGN) {
      const owner = ownerIn(context);
      const error = await caught(() => findStoredSecret(name, context, owner, signal));
      expect(error.code, name).to.equal('ERR_SECRET_RESERVED');
      expect(await findLoginSecret(name, context, owner, signal), name).to.equal(undefined);
    }
  });

  it('are not found as secrets of a login under any other name', async () => {
    expect(await findLoginSecret('GITHUB_TOKEN', context, ownerIn(context), signal)).to.equal(undefined);
  });

  it('are found by the workload that they belong to', async () => {
    const owner = ownerOf('notes', [], context.store);
    for (const name of FOREIGN.filter((one) => /^[A-Z].*_notes$|@notes$|slack/.test(one))) {
      expect(await findStoredSecret(name, context, owner, signal), name).to.equal(
        `value of __portolan_workloads_${name}`,
      );
    }
    expect(await findStoredSecret('GITHUB_TOKEN', context, owner, signal)).to.equal('value of GITHUB_TOKEN');
  });

  it('are found under the name that ToolHive uses when the usual one is taken', async () => {
    const name = 'OAUTH_REFRESH_TOKEN_evil-1732896000-0a1b2c3d';
    const named = keepContext(await folders.make(), { store: new MemoryStore({ [name]: 'token' }) });
    expect(await findLoginSecret(name, named, ownerIn(named), signal)).to.equal('token');
  });
});
