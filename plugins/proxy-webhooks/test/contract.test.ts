import { proxyMiddlewareContract } from '@portolan/plugin-testing';
import { mutatingWebhooks, validatingWebhooks } from '../src/index.ts';
import { allow, openWebhookServer, type WebhookServer } from './webhook-server.ts';

const CALL =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"refund","arguments":{"amount":12}}}';
const LIST = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}';
const ANSWER = '{"jsonrpc":"2.0","id":"q1","result":{"action":"accept"}}';

const webhook = (url: string) => ({
  name: 'hook',
  url,
  failurePolicy: 'fail' as const,
  timeout: '10s',
  tls: { insecureSkipVerify: true },
  compat: false,
});

describe('webhooks', () => {
  let server: WebhookServer;
  before(async () => {
    server = await openWebhookServer();
    server.answer = (question, response) => {
      const { method, params }: { method: string; params?: { name?: string } } = question.mcp_request;
      if (method !== 'tools/call') allow()(question, response);
      else if (params?.name !== 'refund') allow({ allowed: false, message: 'no' })(question, response);
      else {
        const patch = [{ op: 'replace', path: '/mcp_request/params/arguments/amount', value: 10 }];
        allow({ patch_type: 'json_patch', patch })(question, response);
      }
    };
  });
  after(() => server.close());

  proxyMiddlewareContract({
    name: 'mutating-webhooks',
    kind: mutatingWebhooks,
    create: (context) => mutatingWebhooks.create({ webhooks: [webhook(server.url)] }, context),
    judged: [
      { from: 'client', text: LIST, becomes: 'passes' },
      { from: 'client', text: CALL, becomes: { message: JSON.parse(CALL.replace('12', '10')) } },
      { from: 'client', text: CALL.replace('refund', 'pay'), becomes: 'refused' },
      { from: 'client', text: ANSWER, becomes: 'passes' },
      { from: 'server', text: ANSWER, request: CALL, becomes: 'passes' },
    ],
  });

  proxyMiddlewareContract({
    name: 'validating-webhooks',
    kind: validatingWebhooks,
    create: (context) => validatingWebhooks.create({ webhooks: [webhook(server.url)] }, context),
    judged: [
      { from: 'client', text: LIST, becomes: 'passes' },
      { from: 'client', text: CALL, becomes: 'refused' },
      { from: 'client', text: CALL.replace('refund', 'pay'), becomes: 'refused' },
      { from: 'client', text: ANSWER, becomes: 'passes' },
      { from: 'server', text: ANSWER, request: CALL, becomes: 'passes' },
    ],
  });
});
