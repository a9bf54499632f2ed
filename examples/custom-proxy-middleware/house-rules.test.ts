import { proxyMiddlewareContract } from '@portolan/plugin-testing';
import { fixedArgument, maskedWord, quietTools } from './house-rules.ts';

const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const CALL =
  '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"delete_all","arguments":{"a":1}}}';
const ANSWER =
  '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"the word is swordfish"}]}}';
const QUESTION = '{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{}}';

proxyMiddlewareContract({
  name: 'quiet-tools',
  kind: quietTools,
  blocks: [{ tools: ['delete_'] }],
  create: (context) => quietTools.create({ tools: ['delete_'] }, context),
  judged: [
    { from: 'client', text: LIST, becomes: 'passes' },
    { from: 'client', text: CALL.replace('delete_all', 'list_all'), becomes: 'passes' },
    { from: 'client', text: CALL, becomes: 'refused' },
  ],
});

proxyMiddlewareContract({
  name: 'fixed-argument',
  kind: fixedArgument,
  blocks: [{ argument: 'tenant', value: 'acme' }],
  create: (context) => fixedArgument.create({ argument: 'tenant', value: 'acme' }, context),
  judged: [
    { from: 'client', text: LIST, becomes: 'passes' },
    { from: 'client', text: CALL, becomes: { message: withTenant(CALL) } },
    {
      from: 'client',
      text: CALL.replace('"a":1', '"tenant":"other"'),
      becomes: { message: withTenant(CALL, {}) },
    },
  ],
});

proxyMiddlewareContract({
  name: 'masked-word',
  kind: maskedWord,
  blocks: [{ word: 'swordfish' }],
  create: (context) => maskedWord.create({ word: 'swordfish' }, context),
  judged: [
    { from: 'client', text: CALL, becomes: 'passes' },
    { from: 'server', text: ANSWER.replace('swordfish', 'tuna'), request: CALL, becomes: 'passes' },
    {
      from: 'server',
      text: ANSWER,
      request: CALL,
      becomes: { message: JSON.parse(ANSWER.replace('swordfish', '***')) },
    },
    { from: 'server', text: QUESTION, becomes: 'refused' },
  ],
});

function withTenant(call: string, args: object = { a: 1 }): unknown {
  const message: { params: object } = JSON.parse(call);
  return { ...message, params: { ...message.params, arguments: { ...args, tenant: 'acme' } } };
}
