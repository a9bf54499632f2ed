import { expect } from 'chai';
import type { JsonObject } from '@portolan/plugin-api';
import { parseRunConfig } from '../../src/run-config/parse-run-config.ts';
import { policySecretsIn, renameSecrets } from '../../src/run-config/rename-secrets.ts';
import { mergeWebhooks, readWebhookDocument } from '../../src/run-config/webhook-files.ts';
import { webhookParameters } from '../../src/run-config/webhooks.ts';
import { caught } from '../../../../test/support/caught.ts';

const HOOK = { name: 'window', url: 'https://policy.acme.example/ask', failure_policy: 'fail' };
const read = (document: JsonObject) => readWebhookDocument(document, 'hooks.yaml', (file) => `/here/${file}`);

describe('readWebhookDocument', () => {
  it('converts times to nanoseconds, names of secrets to references, and paths to absolute paths', () => {
    const { validating_webhooks: validating, mutating_webhooks: mutating } = read({
      validating: [
        { ...HOOK, timeout: '3s', hmac_secret_ref: 'window-hmac', tls_config: { ca_bundle_path: 'ca.pem' } },
      ],
      mutating: [
        { ...HOOK, timeout: 1_500_000_000, hmac_secret_ref: 'key,target=x', compat: true },
        {
          ...HOOK,
          name: 'plain',
          url: 'http://127.0.0.1:1/',
          tls_config: { insecure_skip_verify: true },
          timeout: 0,
        },
        {
          ...HOOK,
          name: 'file',
          hmac_secret_ref: '/etc/key',
          tls_config: { client_cert_path: 'a', client_key_path: 'b' },
        },
      ],
    });
    expect(validating).to.deep.equal([
      {
        ...HOOK,
        timeout: 3e9,
        hmac_secret_ref: 'window-hmac,target=webhook_hmac',
        tls_config: { ca_bundle_path: '/here/ca.pem' },
      },
    ]);
    expect(mutating).to.deep.equal([
      { ...HOOK, timeout: 1.5e9, hmac_secret_ref: 'key,target=x', compat: true },
      { ...HOOK, name: 'plain', url: 'http://127.0.0.1:1/', tls_config: { insecure_skip_verify: true } },
      {
        ...HOOK,
        name: 'file',
        hmac_secret_ref: '/etc/key',
        tls_config: { client_cert_path: '/here/a', client_key_path: '/here/b' },
      },
    ]);
  });

  const faults: readonly (readonly [title: string, document: JsonObject, says: string])[] = [
    ['no webhooks', {}, 'the document: found nothing'],
    ['empty lists', { validating: [], mutating: [] }, 'the document: found nothing'],
    ['another list', { validate: [HOOK] }, 'validate: found an unknown key'],
    ['a map', { validating: { a: HOOK } }, 'validating: found a map; expected a list'],
    [
      'no name',
      { validating: [{ ...HOOK, name: '' }] },
      'validating[0].name: found nothing; expected a name',
    ],
    [
      'a name twice',
      { mutating: [HOOK, { ...HOOK }] },
      'mutating[1].name: found "window"; expected a name of its own',
    ],
    ['no address', { validating: [{ ...HOOK, url: undefined }] }, 'validating[0].url: found nothing'],
    [
      'an address without TLS',
      { validating: [{ ...HOOK, url: 'http://a.example' }] },
      'validating[0].url: found a text',
    ],
    ['a password', { validating: [{ ...HOOK, url: 'https://a:hunter2@a.example' }] }, 'validating[0].url'],
    [
      'no failure policy',
      { validating: [{ name: 'a', url: HOOK.url }] },
      'validating[0].failure_policy: found nothing',
    ],
    [
      'another failure policy',
      { validating: [{ ...HOOK, failure_policy: 'Fail' }] },
      'expected fail or ignore',
    ],
    ['a short time', { validating: [{ ...HOOK, timeout: '999ms' }] }, 'validating[0].timeout'],
    ['a long time', { validating: [{ ...HOOK, timeout: 30_000_000_001 }] }, 'validating[0].timeout'],
    ['a negative time', { validating: [{ ...HOOK, timeout: -1 }] }, 'validating[0].timeout'],
    ['no time at all', { validating: [{ ...HOOK, timeout: '0' }] }, 'validating[0].timeout'],
    ['seconds without a unit', { validating: [{ ...HOOK, timeout: '5' }] }, 'validating[0].timeout'],
    [
      'half a pair',
      { validating: [{ ...HOOK, tls_config: { client_key_path: 'a' } }] },
      'validating[0].tls_config',
    ],
    [
      'another key',
      { validating: [{ ...HOOK, failurePolicy: 'fail' }] },
      'validating[0].failurePolicy: found an unknown key',
    ],
    [
      'another key of TLS',
      { validating: [{ ...HOOK, tls_config: { ca: 'a' } }] },
      'validating[0].tls_config.ca: found an unknown key',
    ],
    [
      'a name of no secret',
      { validating: [{ ...HOOK, hmac_secret_ref: 'a,b' }] },
      'validating[0].hmac_secret_ref',
    ],
  ];
  for (const [title, document, says] of faults) {
    it(`rejects ${title}`, async () => {
      const error = await caught(() => read(document));
      expect(error.code).to.equal('ERR_SETTING');
      expect(error.message).to.include('hooks.yaml').and.include(says).and.not.include('hunter2');
    });
  }
});

describe('mergeWebhooks', () => {
  it('replaces a webhook of the same name in its place, and appends others', () => {
    const named = (name: string, failure_policy: string) => ({ ...HOOK, name, failure_policy });
    const first = read({
      validating: [named('a', 'fail'), named('b', 'fail')],
      mutating: [named('a', 'fail')],
    });
    const second = read({ validating: [named('c', 'fail'), named('a', 'ignore')] });
    const { validating_webhooks: validating, mutating_webhooks: mutating } = mergeWebhooks([first, second]);
    expect(validating).to.deep.equal([named('a', 'ignore'), named('b', 'fail'), named('c', 'fail')]);
    expect(mutating).to.deep.equal([named('a', 'fail')]);
  });
});

describe('webhooks of a run config', () => {
  it('are validated like those of a file, and name their secrets', () => {
    const document = {
      image: 'nginx',
      name: 'w',
      validating_webhooks: [{ ...HOOK, timeout: 5e9, hmac_secret_ref: 'key' }],
    };
    const { config } = parseRunConfig(JSON.stringify(document), 'w.json');
    expect(policySecretsIn(config)).to.deep.equal(['key']);
    const renamed = renameSecrets(config, (name) => `${name}2`);
    expect(webhookParameters(renamed.validating_webhooks)).to.deep.equal({
      webhooks: [
        {
          name: 'window',
          url: HOOK.url,
          timeout: '5000ms',
          failurePolicy: 'fail',
          tls: {},
          hmacSecret: 'key2,target=webhook_hmac',
        },
      ],
    });
  });

  it('are rejected with their places', async () => {
    const document = { image: 'nginx', name: 'w', mutating_webhooks: [{ ...HOOK, url: 'ftp://a.example' }] };
    const error = await caught(() => parseRunConfig(JSON.stringify(document), 'w.json'));
    expect(error.message).to.include('mutating_webhooks[0].url');
  });
});
