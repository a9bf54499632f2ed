import type { JsonObject } from '@portolan/plugin-api';
import { expect } from 'chai';
import {
  encodeInUrl,
  fillInlineSecrets,
  hasSecretPath,
  inlineTarget,
} from '../../src/parse/inline-secrets.ts';
import { fillServerSettings, markSecrets } from '../../src/registry-entry/fill-server-settings.ts';
import { type InputValues } from '../../src/registry-entry/entry-templates.ts';
import { readServerSettings } from '../../src/registry-entry/read-server-settings.ts';
import { caught } from '../../../../test/support/caught.ts';

const KEY = { key: { isRequired: true, isSecret: true } };
const remote = (url: string, variables: JsonObject = KEY) =>
  readServerSettings({
    name: 'dev.acme/notes',
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url, variables }],
  });
const given = (more: Partial<InputValues>): InputValues => ({
  values: new Map(),
  secrets: new Set(),
  hasArguments: false,
  ...more,
});

describe('secrets in the URL and in arguments of an entry', () => {
  it('are placeholders in the URL, with separate values (official registry 394)', () => {
    const filled = fillServerSettings(
      remote('https://mcp.acme.example/s/{key}/mcp?k={key}&t={t}', { ...KEY, t: {} }),
      given({
        values: new Map([
          ['key', 'hunter2'],
          ['t', 'a'],
        ]),
      }),
    );
    expect(filled.url).to.equal('https://mcp.acme.example/s/$(key)/mcp?k=$(key)&t=a');
    expect(filled.inlineSecrets).to.deep.equal([
      { name: 'registry-user-input-key', target: 'key', value: 'hunter2' },
    ]);
  });

  it('refer to the secret that the user names, without its value (official registry 614)', () => {
    const filled = fillServerSettings(
      remote('https://mcp.acme.example/mcp?k={key}'),
      given({ references: new Map([['key', 'mine']]) }),
    );
    expect(filled.url).to.equal('https://mcp.acme.example/mcp?k=$(key)');
    expect(filled.inlineSecrets).to.deep.equal([{ name: 'mine', target: 'key', value: undefined }]);
  });

  it('include values that the user marks as secret', () => {
    const settings = markSecrets(
      remote('https://mcp.acme.example/{plain}', { plain: {} }),
      new Set(['plain']),
    );
    const references = new Map([['plain', 'mine']]);
    expect(fillServerSettings(settings, given({ references })).url).to.equal(
      'https://mcp.acme.example/$(plain)',
    );
  });

  it('are rejected in the host, and in the transport URL', async () => {
    const values = new Map([['key', 'hunter2']]);
    const host = await caught(() =>
      fillServerSettings(remote('https://{key}.acme.example'), given({ values })),
    );
    expect(host.code).to.equal('ERR_SECRET_REFERENCE');
    const packed = readServerSettings({
      name: 'dev.acme/notes',
      packages: [
        {
          registryType: 'oci',
          identifier: 'acme/x:1',
          transport: { type: 'sse', url: 'http://localhost:80/{key}' },
          environmentVariables: [{ name: 'key', isRequired: true, isSecret: true }],
        },
      ],
    });
    const path = await caught(() => fillServerSettings(packed, given({ values })));
    expect(path.code).to.equal('ERR_SECRET_REFERENCE');
    expect(host.message + path.message).not.to.include('hunter2');
  });
});

describe('fillInlineSecrets', () => {
  const values = { mine: 'a b/c?d=e&f#g%h' };
  it('replaces the placeholders of its references, and no other text', () => {
    const text = '$(key) $(date) $(toString) {key} $key';
    expect(fillInlineSecrets(text, ['mine,target=key', 'none,target=date'], values)).to.equal(
      `${values.mine} $(date) $(toString) {key} $key`,
    );
    expect(fillInlineSecrets('$(key)', [], values)).to.equal('$(key)');
  });

  it('inserts an encoded value that the server decodes to the stored one', () => {
    const references = ['mine,target=key'];
    const write = encodeInUrl;
    const url = new URL(fillInlineSecrets('https://acme.example/x?k=$(key)&z=1', references, values, write));
    expect(url.searchParams.get('k')).to.equal(values.mine);
    expect([url.searchParams.get('z'), url.hash]).to.deep.equal(['1', '']);
  });

  it('hasSecretPath › detects a secret in the path of a URL', () => {
    expect(hasSecretPath('https://acme.example/s/$(key)/mcp', ['mine,target=key'])).to.equal(true);
    expect(hasSecretPath('https://acme.example/s/mcp?k=$(key)', ['mine,target=key'])).to.equal(false);
    expect(hasSecretPath('https://acme.example/s/$(x)', [])).to.equal(false);
  });

  it('inlineTarget › makes valid variable names', () => {
    expect(['--api-key', 'argument 1', '1st', 'KEY'].map(inlineTarget)).to.deep.equal([
      'api-key',
      'argument_1',
      '_1st',
      'KEY',
    ]);
  });
});
