import type { AuthProviderKind, Plugin } from '@portolan/plugin-api';
import { createRecordingLogger, openTestWorkloadKernel } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { SecretValues } from '../../src/index.ts';
import { errorOf, Folders } from '../support/test-context.ts';
import { packageFiles, pluginText, withWorkloadKernel } from '../support/workload-context.ts';

const door = {
  type: 'object',
  required: ['issuer'],
  properties: {
    issuer: { type: 'string', format: 'uri' },
    seconds: { type: 'integer', default: 60 },
    secret: { type: 'string', secret: true },
  },
} as const;

/** A kind that remembers what its instances were made with, and how many of them are open. */
function recordingKind(hosts: AuthProviderKind['hosts'] = ['workload']) {
  const made: unknown[] = [];
  const state = { open: 0 };
  const kind: AuthProviderKind = {
    kind: 'door',
    hosts,
    identifies: true,
    config: door,
    check: ({ seconds }: { readonly seconds: number }) =>
      seconds > 0 ? [] : [{ place: 'seconds', found: String(seconds), expected: 'more than none' }],
    create: (config: unknown) => {
      made.push(config);
      state.open += 1;
      return {
        verify: (_ctx, next) => next(),
        identify: () => ({ subject: 'ada', claims: {} }),
        close: async () => {
          state.open -= 1;
        },
      };
    },
  };
  const plugin: Plugin = { name: 'doors', apiVersion: 2, contributes: { authProviders: [kind] } };
  return { plugin, kind, made, state };
}

const given = (value: unknown) => ({ value, place: 'oidc_config', origin: 'run-config.json' });

describe('createAuthProvider of the workload kernel', () => {
  it('creates a provider from given settings with defaults, and closes it with the kernel', async () => {
    const { plugin, kind, made, state } = recordingKind(['registry-server', 'workload']);
    const kernel = await openTestWorkloadKernel({ plugins: [plugin] });
    const settings = { issuer: 'https://login.acme.example' };
    try {
      const provider = await kernel.createAuthProvider('door', given(settings));
      expect(provider.kind).to.equal(kind);
      expect(provider.instance.identify({} as never)).to.deep.equal({ subject: 'ada', claims: {} });
      expect(made).to.deep.equal([{ issuer: 'https://login.acme.example', seconds: 60 }]);
      expect(settings, 'what was handed over').to.deep.equal({ issuer: 'https://login.acme.example' });
      expect(state.open).to.equal(1);
    } finally {
      await kernel.close();
    }
    expect(state.open).to.equal(0);
  });

  const faults: readonly { readonly title: string; readonly value: unknown; readonly says: RegExp }[] = [
    {
      title: 'an unknown key',
      value: { issuer: 'https://a.example', secnds: 1 },
      says: /^run-config\.json has 1 problem\n\s+oidc_config\.secnds +found an unknown key.*\n.*did you mean "seconds"/,
    },
    {
      title: 'a value of another type',
      value: { issuer: 7 },
      says: /oidc_config\.issuer +found 7/,
    },
    {
      title: 'a problem that the kind reports',
      value: { issuer: 'https://a.example', seconds: 0 },
      says: /oidc_config\.seconds +found 0; expected more than none/,
    },
    {
      title: 'a value that is not plain data',
      value: { issuer: new Date(0) },
      says: /oidc_config\.issuer +found a Date; expected plain data/,
    },
    { title: 'a value that is not a map', value: 'door', says: /oidc_config +found .*; expected a map/ },
  ];
  for (const { title, value, says } of faults) {
    it(`rejects ${title}, with its place in the given settings`, async () => {
      const { plugin, made } = recordingKind();
      const kernel = await openTestWorkloadKernel({ plugins: [plugin] });
      try {
        const error = await errorOf(() => kernel.createAuthProvider('door', given(value)));
        expect(error.code).to.equal('ERR_CONFIG_INVALID');
        expect(error.message).to.match(says);
        expect(made).to.deep.equal([]);
      } finally {
        await kernel.close();
      }
    });
  }

  it('rejects a kind for the registry server only, before it validates the settings', async () => {
    const { plugin, made } = recordingKind(['registry-server']);
    const kernel = await openTestWorkloadKernel({ plugins: [plugin] });
    try {
      const error = await errorOf(() => kernel.createAuthProvider('door', given({})));
      expect(error.code).to.equal('ERR_CONFIG_INVALID');
      expect(error.message).to.match(
        /oidc_config +found "door", which serves the registry server; expected a kind of auth provider that serves workloads/,
      );
      expect(made).to.deep.equal([]);
    } finally {
      await kernel.close();
    }
  });

  it('masks given secrets in errors of plugins', async () => {
    const { plugin } = recordingKind();
    const failing: AuthProviderKind = {
      ...recordingKind().kind,
      kind: 'failing',
      create: ({ secret }: { readonly secret: string }) => {
        throw new Error(`cannot use ${secret}`);
      },
    };
    const secrets = new SecretValues();
    const kernel = await openTestWorkloadKernel({
      plugins: [plugin, { name: 'failing', apiVersion: 2, contributes: { authProviders: [failing] } }],
      logger: createRecordingLogger(),
      secrets,
    });
    try {
      const value = { issuer: 'https://a.example', secret: 'correct-horse' };
      const error = await errorOf(() => kernel.createAuthProvider('failing', given(value)));
      expect(error.message).to.include('[secret]').and.to.not.include('correct-horse');
      expect(secrets.mask('correct-horse')).to.equal('[secret]');
    } finally {
      await kernel.close();
    }
  });

  it('lists the available providers for an unknown name', async () => {
    const { plugin } = recordingKind();
    const kernel = await openTestWorkloadKernel({ plugins: [plugin] });
    try {
      expect(kernel.kinds.authProviders).to.deep.equal(['door']);
      const error = await errorOf(() => kernel.createAuthProvider('gate'));
      expect(error.code).to.equal('ERR_KIND_UNKNOWN');
      expect(error.message).to.equal('Unknown auth provider "gate"; expected door.');
    } finally {
      await kernel.close();
    }
  });

  describe('with a configuration', () => {
    const folders = new Folders();
    after(() => folders.removeAll());
    const doors = (hosts: string) =>
      packageFiles(
        'doors',
        pluginText(
          'doors',
          `contributes: { authProviders: [{ kind: 'door', hosts: ${hosts}, identifies: true,
            config: { type: 'object', properties: { realm: { type: 'string', default: 'acme' } } },
            create: (block) => ({ block, verify: (ctx, next) => next(), identify: () => undefined }) }] }`,
        ),
      );
    const blockOf = (instance: object): unknown => Reflect.get(instance, 'block');

    it('uses its settings, and given settings override them', async () => {
      const options = {
        files: doors(`['workload']`),
        config: 'plugins: [doors]\nauthProviders: { door: { realm: shop } }\n',
      };
      await withWorkloadKernel(folders, options, async (kernel) => {
        const { instance } = await kernel.createAuthProvider('door');
        expect(blockOf(instance)).to.deep.equal({ realm: 'shop' });
        const other = await kernel.createAuthProvider('door', given({}));
        expect(blockOf(other.instance)).to.deep.equal({ realm: 'acme' });
      });
    });

    it('rejects settings of a kind that does not serve workloads, with their place', async () => {
      const options = {
        files: doors(`['registry-server']`),
        config: 'plugins: [doors]\nauthProviders: { door: {} }\n',
      };
      const error = await errorOf(() => withWorkloadKernel(folders, options, () => undefined));
      expect(error.code).to.equal('ERR_CONFIG_INVALID');
      expect(error.message).to.match(
        /2:18 +authProviders\.door +found "door", which serves the registry server/,
      );
    });
  });
});
