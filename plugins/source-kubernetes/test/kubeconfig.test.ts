import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@portolan/plugin-api';
import { createTestContext, readContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { readKubeconfig } from '../src/access/read-kubeconfig.ts';
import { kubernetesConfig, kubernetesSource } from '../src/index.ts';
import { certificate } from './support/certificate.ts';
import { faultOf } from './support/fault-of.ts';

const { cert: CERT, key: KEY } = certificate;
const DEFAULTS = {
  namespaces: [],
  resources: kubernetesConfig.properties.resources.default,
  namePrefix: 'com.toolhive.k8s',
};

describe('kubeconfig', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'portolan-test-'));
    await writeFile(join(directory, 'ca.pem'), CERT);
    await writeFile(join(directory, 'token'), 't0ken\n');
  });
  afterEach(() => rm(directory, { recursive: true }));

  interface Parts {
    readonly cluster?: JsonObject;
    readonly user?: JsonObject;
    readonly more?: JsonObject;
  }

  async function write({ cluster, user, more }: Parts = {}): Promise<void> {
    const config = {
      'current-context': 'main',
      clusters: [
        {
          name: 'c',
          cluster: cluster ?? { server: 'https://kube.acme.example:6443', 'certificate-authority': 'ca.pem' },
        },
      ],
      users: [{ name: 'u', user: user ?? { token: 's3cret' } }],
      contexts: [
        { name: 'main', context: { cluster: 'c', user: 'u' } },
        { name: 'other', context: { cluster: 'c', user: 'u' } },
        { name: 'lost', context: { cluster: 'gone', user: 'u' } },
        { name: 'nobody', context: { cluster: 'c' } },
      ],
      ...more,
    };
    await writeFile(join(directory, 'kubeconfig'), stringify(config));
  }

  const check = (config: JsonObject = {}): readonly string[] =>
    (
      kubernetesSource.check?.(
        { ...DEFAULTS, kubeconfig: 'kubeconfig', ...config },
        { directory, trustsLoopback: false },
      ) ?? []
    ).map(({ place, found, expected }) => `${place}: found ${found}; expected ${expected}`);

  it('resolves paths from its own folder', async () => {
    await mkdir(join(directory, 'sub'));
    await write({ user: { tokenFile: './token' } });
    const access = readKubeconfig({ shown: 'k', file: join(directory, 'kubeconfig'), context: undefined });
    expect(access.user).to.deep.equal({ name: 'user', token: 't0ken' });
    expect(Buffer.from(access.cluster.caData ?? '', 'base64').toString()).to.equal(CERT);
    expect(access.cluster.server).to.equal('https://kube.acme.example:6443');
  });

  describe('forms', () => {
    const users: readonly JsonObject[] = [
      { token: 's3cret' },
      { tokenFile: 'token' },
      { 'client-certificate-data': base64(CERT), 'client-key-data': base64(KEY) },
      { username: 'ada', password: 's3cret' },
      { token: 's3cret', as: 'system:serviceaccount:portolan:reader' },
      { token: 's3cret', exec: null },
    ];
    for (const user of users) {
      it(JSON.stringify(Object.keys(user)), async () => {
        await write({ user });
        expect(check()).to.deep.equal([]);
      });
    }

    it('selects another context', async () => {
      await write();
      expect(check({ context: 'other' })).to.deep.equal([]);
    });

    it('accepts a local kubectl proxy', async () => {
      await write({ cluster: { server: 'http://127.0.0.1:8001' }, user: {} });
      expect(check()).to.deep.equal([]);
    });
  });

  const NO_PROGRAM =
    'a user with token, tokenFile, client-certificate and client-key, or username and password';
  const A_SERVER = 'a cluster with the https address of its API server';
  const wrong: readonly {
    readonly title: string;
    readonly parts?: Parts;
    readonly text?: string;
    readonly config?: JsonObject;
    readonly says: string;
  }[] = [
    {
      title: 'a file that is not there',
      config: { kubeconfig: 'gone' },
      says: 'kubeconfig: found "gone", which does not exist; expected a kubeconfig file',
    },
    {
      title: 'a folder',
      config: { kubeconfig: '.' },
      says: 'kubeconfig: found ".", which is a folder; expected a kubeconfig file',
    },
    {
      title: 'text that is no YAML',
      text: 'token: "s3cret\nusers: [',
      says: 'kubeconfig: found "kubeconfig", which holds text that is no YAML (line 2); expected a kubeconfig file',
    },
    {
      title: 'another document',
      text: 'kind: Pod\n',
      says: 'kubeconfig: found "kubeconfig", which holds something else: no list of contexts; expected a kubeconfig file',
    },
    {
      title: 'a context that it does not have',
      parts: {},
      config: { context: 'man' },
      says: 'context: found "man"; expected one of "main", "other", "lost", "nobody"',
    },
    {
      title: 'no current context',
      parts: { more: { 'current-context': '' } },
      says: 'context: found nothing, and a kubeconfig without current-context; expected one of "main", "other", "lost", "nobody"',
    },
    {
      title: 'a context whose cluster is missing',
      parts: {},
      config: { context: 'lost' },
      says: 'kubeconfig: found a context "lost" whose cluster "gone" is not in the file; expected a cluster of the same file',
    },
    {
      title: 'a context without a user',
      parts: {},
      config: { context: 'nobody' },
      says: 'kubeconfig: found a context "nobody" without a user; expected a user of the same file',
    },
    {
      title: 'a cluster without server',
      parts: { cluster: {} },
      says: `kubeconfig: found a cluster without server; expected ${A_SERVER}`,
    },
    {
      title: 'a server over http',
      parts: { cluster: { server: 'http://kube.acme.example' } },
      says: `kubeconfig: found a server that is asked over http; expected ${A_SERVER}`,
    },
    {
      title: 'a password in the address',
      parts: { cluster: { server: 'https://ada:s3cret@kube.acme.example' } },
      says: `kubeconfig: found a server with a user or password in its address; expected ${A_SERVER}`,
    },
    {
      title: 'a certificate authority that is not there',
      parts: { cluster: { server: 'https://kube.acme.example', 'certificate-authority': 'gone.pem' } },
      says: 'kubeconfig: found a certificate-authority that cannot be read; expected certificates, as PEM',
    },
    {
      title: 'a certificate authority that is none',
      parts: {
        cluster: { server: 'https://kube.acme.example', 'certificate-authority-data': base64('s3cret') },
      },
      says: 'kubeconfig: found a certificate-authority-data that cannot be read; expected certificates, as PEM',
    },
    {
      title: 'a proxy that is none',
      parts: { cluster: { server: 'https://kube.acme.example', 'proxy-url': 'file:///s3cret' } },
      says: 'kubeconfig: found an invalid proxy-url; expected an address of http, https or socks5',
    },
    {
      title: 'a program for logging in',
      parts: { user: { token: 's3cret', exec: { command: 'touch', args: ['/tmp/s3cret'] } } },
      says: `kubeconfig: found a user that logs in with a program (exec), which is not started; expected ${NO_PROGRAM}`,
    },
    {
      title: 'a plugin for logging in',
      parts: { user: { 'auth-provider': { name: 'gcp', config: { 'cmd-path': '/bin/s3cret' } } } },
      says: `kubeconfig: found a user that logs in with a plugin (auth-provider), which is not loaded; expected ${NO_PROGRAM}`,
    },
    {
      title: 'groups to act as',
      parts: { user: { token: 's3cret', 'as-groups': ['system:masters'] } },
      says: `kubeconfig: found a user that acts as another one with as-groups, which is not done; expected ${NO_PROGRAM}`,
    },
    {
      title: 'a certificate without its key',
      parts: { user: { 'client-certificate-data': base64(CERT) } },
      says: 'kubeconfig: found a client-certificate without client-key; expected both, or neither',
    },
    {
      title: 'a key that is none',
      parts: { user: { 'client-certificate-data': base64(CERT), 'client-key-data': base64('s3cret') } },
      says: 'kubeconfig: found a client-key-data that cannot be read; expected a private key without a passphrase, as PEM',
    },
    {
      title: 'a token file that is not there',
      parts: { user: { tokenFile: 'gone' } },
      says: 'kubeconfig: found a tokenFile that cannot be read; expected a file with a token',
    },
    {
      title: 'a device without end for a token file',
      parts: { user: { tokenFile: '/dev/zero' } },
      says: 'kubeconfig: found a tokenFile that cannot be read; expected a file with a token',
    },
    {
      title: 'a device without end for a certificate authority',
      parts: { cluster: { server: 'https://kube.acme.example', 'certificate-authority': '/dev/zero' } },
      says: 'kubeconfig: found a certificate-authority that cannot be read; expected certificates, as PEM',
    },
    {
      title: 'a token of two lines',
      parts: { user: { token: 's3cret\nx: y' } },
      says: 'kubeconfig: found a token that no header can carry; expected one line of visible characters',
    },
  ];

  for (const { title, parts, text, config, says } of wrong) {
    it(`is refused with ${title}, in the check and when the source reads`, async () => {
      if (text === undefined) await write(parts);
      else await writeFile(join(directory, 'kubeconfig'), text);
      expect(check(config)).to.deep.equal([says]);
      expect(says).to.not.include('s3cret');

      const block = { ...DEFAULTS, kubeconfig: 'kubeconfig', ...config };
      const source = await kubernetesSource.create(block, createTestContext({ directory }));
      const fault = await faultOf(async () => {
        for await (const _ of source.readEntries(new AbortController().signal, readContext()));
      });
      expect(fault.code).to.equal('ERR_SOURCE_CONFIG');
      expect(fault.message).to.equal(`In \`${says.replace(': ', '`, ')}.`);
      expect(`${fault.message}${fault.hint}`).to.not.include(directory);
    });
  }
});

describe('kubernetesSource.check', () => {
  const of = (config: JsonObject): readonly string[] =>
    (
      kubernetesSource.check?.(
        { ...DEFAULTS, ...config },
        { directory: '/nowhere', trustsLoopback: false },
      ) ?? []
    ).map(({ place, found }) => `${place}: ${found}`);

  it('refuses a context without a kubeconfig', () => {
    expect(of({ context: 'main' })).to.deep.equal(['context: "main" without kubeconfig']);
  });

  for (const selector of [
    'app=notes',
    'app==notes,tier!=back',
    'app.kubernetes.io/name=notes, !legacy',
    'tier in (a, b),env notin (test)',
    'app',
    'app=',
  ]) {
    it(`accepts the labels ${JSON.stringify(selector)}`, () => {
      expect(of({ labelSelector: selector })).to.deep.equal([]);
    });
  }
  for (const selector of [
    'app=a=b',
    'a b',
    '=x',
    'app in a',
    'app=-',
    'x,',
    'a'.repeat(64),
    'a=b&limit=1',
    'app,'.repeat(500),
  ]) {
    it(`refuses ${JSON.stringify(selector.slice(0, 30))} as labels`, () => {
      expect(of({ labelSelector: selector })).to.have.lengthOf(1);
    });
  }
});

describe('kubernetesSource.reaches', () => {
  it('returns the surrounding cluster for a source without kubeconfig', () => {
    expect(kubernetesSource.reaches?.(DEFAULTS)).to.deep.equal({
      files: [],
      urls: [],
      hosts: [{ scheme: 'https', host: 'kubernetes.default.svc', port: 443 }],
      serverCredentials: 'the service account of the server',
    });
  });

  it('refuses a kubeconfig, which only the operator may set', () => {
    expect(kubernetesSource.reaches?.({ ...DEFAULTS, kubeconfig: './k' }).refused).to.deep.equal([
      {
        place: 'kubeconfig',
        found: 'a kubeconfig',
        expected: 'none: only a source of the configuration file may have one',
      },
    ]);
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
