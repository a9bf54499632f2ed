import { createHash, createHmac } from 'node:crypto';
import type { OutgoingRequest } from '@portolan/plugin-api';
import { createTestCredentialsContext, outgoingCredentialsContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { signedRequests, textToSign } from './signed-requests.ts';

const KEY = 'a key of the test, long enough';
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const AT = '2026-11-22T10:00:00.000Z';

outgoingCredentialsContract({
  name: 'signed-requests',
  kind: signedRequests,
  blocks: [
    { keyId: 'tides', key: KEY },
    { keyId: 'tides', keySecret: 'TIDES,target=key' },
  ],
  create: (context) => signedRequests.create({ keyId: 'tides', key: KEY }, context),
});

describe('signed-requests', () => {
  const outgoing = (body: string): OutgoingRequest => ({
    method: 'POST',
    url: new URL('https://mcp.example/v1?team=a'),
    headers: { 'mcp-method': 'tools/list' },
    bodyHash: async () => createHash('sha256').update(body).digest('hex'),
  });

  it('signs method, address, time, headers and body, so that a change of any of them is detected', async () => {
    const context = createTestCredentialsContext({ clock: () => new Date(AT), secret: () => KEY });
    const signing = await signedRequests.create({ keyId: 'tides', key: KEY }, context);
    const forwardedHeaders = await signing.credentials(outgoing(LIST), AbortSignal.timeout(1000));
    const text = `POST\nmcp.example\n/v1?team=a\n${AT}\nmcp-method: tools/list\nmcp-name: \nmcp-protocol-version: \nmcp-session-id: \n${createHash('sha256').update(LIST).digest('hex')}`;
    const signature = createHmac('sha256', KEY).update(text).digest('base64');
    expect(forwardedHeaders).to.deep.equal([
      { name: 'X-Signed-At', value: AT },
      { name: 'Authorization', value: `Signature keyId="tides", signature="${signature}"` },
    ]);
    const stored = await signedRequests.create({ keyId: 'tides', keySecret: 'TIDES,target=key' }, context);
    expect(await stored.credentials(outgoing(LIST), AbortSignal.timeout(1000))).to.deep.equal(
      forwardedHeaders,
    );
    expect(await textToSign(outgoing(LIST), AT)).to.equal(text);
    expect(await textToSign(outgoing(`${LIST} `), AT)).to.not.equal(text);
  });
});
