import { expect } from 'chai';
import path from 'node:path';
import { checkWebhooks } from '../src/check-webhooks.ts';
import type { WebhookConfig } from '../src/index.ts';

const GOOD: WebhookConfig = {
  name: 'a',
  url: 'https://policy.acme.example/ask',
  timeout: '10s',
  failurePolicy: 'fail',
  tls: { insecureSkipVerify: false },
  compat: false,
};
const HERE = import.meta.filename;

const CASES: readonly (readonly [
  title: string,
  webhook: Partial<WebhookConfig>,
  place: string | undefined,
])[] = [
  ['an address', {}, undefined],
  ['an address without TLS', { url: 'http://127.0.0.1/ask' }, 'url'],
  ['one for a trial', { url: 'http://127.0.0.1/ask', tls: { insecureSkipVerify: true } }, undefined],
  ['another scheme for a trial', { url: 'ftp://127.0.0.1/ask', tls: { insecureSkipVerify: true } }, 'url'],
  ['a password in the address', { url: 'https://me:hunter2@policy.acme.example/' }, 'url'],
  ['the shortest time', { timeout: '1s' }, undefined],
  ['a shorter one', { timeout: '999ms' }, 'timeout'],
  ['the longest time', { timeout: '30s' }, undefined],
  ['a longer one', { timeout: '30001ms' }, 'timeout'],
  ['no time', { timeout: '0' }, 'timeout'],
  [
    'a certificate without a key',
    { tls: { insecureSkipVerify: false, clientCertificate: HERE } },
    'tls.clientKey',
  ],
  [
    'a key without a certificate',
    { tls: { insecureSkipVerify: false, clientKey: HERE } },
    'tls.clientCertificate',
  ],
  [
    'files that are there',
    {
      tls: {
        insecureSkipVerify: false,
        clientKey: HERE,
        clientCertificate: HERE,
        caBundle: path.basename(HERE),
      },
    },
    undefined,
  ],
  [
    'a bundle that is not there',
    { tls: { insecureSkipVerify: false, caBundle: 'nowhere.pem' } },
    'tls.caBundle',
  ],
  ['the name of a secret', { hmacSecret: 'key,target=hmac' }, undefined],
  ['a secret in a file', { hmacSecret: HERE }, undefined],
  ['a secret in a file that is not there', { hmacSecret: '/nowhere/key' }, 'hmacSecret'],
];

describe('checkWebhooks', () => {
  for (const [title, webhook, place] of CASES) {
    it(`${place === undefined ? 'accepts' : 'refuses'} ${title}`, () => {
      const problems = checkWebhooks(
        { webhooks: [{ ...GOOD, ...webhook }] },
        { directory: import.meta.dirname },
      );
      expect(problems.map((problem) => problem.place)).to.deep.equal(
        place === undefined ? [] : [`webhooks[0].${place}`],
      );
      expect(JSON.stringify(problems)).not.to.include('hunter2');
    });
  }

  it('refuses a duplicate name', () => {
    const problems = checkWebhooks({ webhooks: [GOOD, { ...GOOD, name: 'b' }, GOOD] }, { directory: '/' });
    expect(problems.map(({ place }) => place)).to.deep.equal(['webhooks[2].name']);
  });
});
