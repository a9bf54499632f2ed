import type { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { readServerSettings } from '@portolan/run-spec/entries';
import { resolveInputs, type InputSources } from '../../src/run/steps/read/resolve-inputs.ts';
import { caught } from '../../../../test/support/caught.ts';

const server = readServerSettings({
  name: 'io.github.acme/weather',
  version: '1.0.0',
  packages: [
    {
      registryType: 'oci',
      identifier: 'ghcr.io/acme/weather:1',
      transport: { type: 'stdio' },
      environmentVariables: [
        { name: 'API_KEY', isRequired: true, isSecret: true },
        { name: 'REGION', isRequired: true, choices: ['eu', 'us'] },
        { name: 'UNITS', default: 'metric' },
      ],
    },
  ],
});

const sources = (more: Partial<InputSources> = {}): InputSources => ({
  findSecret: () => Promise.resolve(undefined),
  ask: undefined,
  unanswered: 'refused',
  ...more,
});
const request = { target: 'weather', args: [], flags: {} };

const remote = readServerSettings({
  name: 'dev.acme/remote',
  version: '1.0.0',
  remotes: [
    {
      type: 'streamable-http',
      url: 'https://{tenant}.acme.example/mcp',
      variables: { tenant: { isRequired: true } },
      headers: [
        {
          name: 'Authorization',
          value: 'Bearer {token}',
          variables: { token: { isRequired: true, isSecret: true } },
        },
      ],
    },
  ],
});

describe('resolveInputs', () => {
  it('throws ERR_INPUTS_MISSING with all names without a terminal', async () => {
    const error = await caught(() => resolveInputs(server, request, new Map(), sources()));
    expect(error).to.include({ code: 'ERR_INPUTS_MISSING' });
    expect(error.message).to.include('API_KEY, REGION');
  });

  it('lists headers and variables separately, each with its flag', async () => {
    const plain = readServerSettings({
      name: 'dev.acme/plain',
      version: '1.0.0',
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://acme.example/{tenant}/mcp',
          variables: { tenant: { isRequired: true } },
          headers: [{ name: 'X-Need', isRequired: true }],
        },
      ],
    });
    const refused = async (given: object): Promise<PortolanError> => {
      const environment = new Map(Object.entries(given));
      return await caught(() => resolveInputs(plain, request, environment, sources()));
    };
    const both = await refused({});
    expect(both.message).to.equal(
      'missing required environment variable: tenant; missing required header: X-Need',
    );
    expect(both.hint).to.match(/-e NAME=VALUE .*headers with --remote-forward-headers NAME=VALUE/);
    const one = await refused({ tenant: { value: 'x', from: 'flag', by: '--env' } });
    expect(one.message).to.equal('missing required header: X-Need');
    expect(one.hint).to.match(/^Give each with --remote-forward-headers NAME=VALUE/);
  });

  it('returns the missing inputs for a plan', async () => {
    const { missing } = await resolveInputs(server, request, new Map(), sources({ unanswered: 'left out' }));
    expect(missing.map(({ name }) => name)).to.deep.equal(['API_KEY', 'REGION']);
  });

  it('asks only for missing inputs, and stores a typed secret instead of showing it', async () => {
    const asked: string[] = [];
    const environment = new Map([['REGION', { value: 'eu', from: 'flag', by: '--env' } as const]]);
    const ask: InputSources['ask'] = ({ name }) => {
      asked.push(name);
      return Promise.resolve('k3y');
    };
    const { filled, missing } = await resolveInputs(server, request, environment, sources({ ask }));
    expect(asked).to.deep.equal(['API_KEY']);
    expect(missing).to.deep.equal([]);
    expect(filled.secrets).to.deep.equal([
      { name: 'registry-user-api_key', target: 'API_KEY', value: 'k3y' },
    ]);
    expect(filled.variables.has('API_KEY')).to.equal(false);
  });

  it('refers to a stored secret of the same name instead of asking', async () => {
    const findSecret = (name: string): Promise<string | undefined> =>
      Promise.resolve(name === 'API_KEY' ? 'stored' : undefined);
    const environment = new Map([['REGION', { value: 'us', from: 'flag', by: '--env' } as const]]);
    const { stored, filled } = await resolveInputs(server, request, environment, sources({ findSecret }));
    expect(stored).to.deep.equal([{ name: 'API_KEY', target: 'API_KEY' }]);
    expect(filled.secrets).to.deep.equal([]);
  });

  for (const name of [
    'registry-user-slack_token',
    'OAUTH_REFRESH_TOKEN_notes',
    '__portolan_builds_BUILD_AUTH_FILE_npmrc',
    'BUILD_AUTH_FILE_npmrc',
    'BEARER_TOKEN_notes',
  ]) {
    it(`never looks up ${name} when only a registry entry names it`, async () => {
      const named = readServerSettings({
        name: 'dev.acme/notes',
        version: '1.0.0',
        packages: [
          {
            registryType: 'oci',
            identifier: 'ghcr.io/acme/notes:1',
            transport: { type: 'stdio' },
            environmentVariables: [{ name, isRequired: true, isSecret: true }],
          },
        ],
      });
      const lookups: string[] = [];
      const findSecret = (secret: string): Promise<string> => {
        lookups.push(secret);
        return Promise.resolve('stored');
      };
      const options = sources({ findSecret, unanswered: 'left out' });
      const { missing, stored } = await resolveInputs(named, request, new Map(), options);
      expect({ lookups, stored }).to.deep.equal({ lookups: [], stored: [] });
      expect(missing.map((one) => one.name)).to.deep.equal([name]);
    });
  }

  it('accepts a secret given by reference', async () => {
    const given = { ...request, flags: { secrets: ['mine,target=API_KEY'], env: ['REGION=eu'] } };
    const environment = new Map([['REGION', { value: 'eu', from: 'flag', by: '--env' } as const]]);
    const { missing, stored } = await resolveInputs(server, given, environment, sources());
    expect({ missing, stored }).to.deep.equal({ missing: [], stored: [] });
  });

  describe('with a secret as part of a header', () => {
    const given = (...secrets: readonly string[]): typeof request => ({ ...request, flags: { secrets } });
    const tenant = new Map([['tenant', { value: 'a', from: 'flag', by: '--env' } as const]]);

    it('fills the secret into the header value', async () => {
      const findSecret = (name: string): Promise<string | undefined> =>
        Promise.resolve(name === 'mine' ? 't0k' : undefined);
      const { filled } = await resolveInputs(
        remote,
        given('mine,target=token'),
        tenant,
        sources({ findSecret }),
      );
      expect(filled.secretHeaders).to.deep.equal([
        { name: 'registry-user-authorization', target: 'Authorization', value: 'Bearer t0k' },
      ]);
    });

    for (const [flag, values] of [
      ['remoteForwardHeaders', ['authorization=Basic abc']],
      ['remoteForwardHeadersSecret', ['AUTHORIZATION=my-token']],
    ] as const) {
      it(`does not ask for a header that ${flag} sets`, async () => {
        const { filled, missing } = await resolveInputs(
          remote,
          { ...request, flags: { [flag]: values } },
          tenant,
          sources(),
        );
        expect(missing).to.deep.equal([]);
        expect(filled.secretHeaders).to.deep.equal([]);
        expect([...filled.headers]).to.deep.equal([]);
      });
    }

    it('throws ERR_SECRET_NOT_FOUND when the secret is not stored', async () => {
      const error = await caught(() => resolveInputs(remote, given('mine,target=token'), tenant, sources()));
      expect(error.code).to.equal('ERR_SECRET_NOT_FOUND');
    });

    it('rejects a secret in the host of a URL, because lookups and messages show it', async () => {
      const findSecret = (): Promise<string> => Promise.resolve('t0k');
      const error = await caught(() =>
        resolveInputs(remote, given('mine,target=tenant'), new Map(), sources({ findSecret })),
      );
      expect(error.code).to.equal('ERR_SECRET_REFERENCE');
    });
  });
});
