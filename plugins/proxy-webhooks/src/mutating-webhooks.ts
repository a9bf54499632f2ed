import type { ClientExchange, ClientVerdict, Logger, ProxyMiddlewareKind } from '@portolan/plugin-api';
import { askWebhook, whereItFails } from './ask-webhook.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { findChanges } from './find-changes.ts';
import { parseTree, printTree, type JsonTree } from './json-tree.ts';
import type { Webhook } from './open-webhook.ts';
import { openWebhooks } from './open-webhooks.ts';
import { MUTATING } from './refusals.ts';
import { webhooksConfig } from './webhooks-config.ts';
import { applyPatch } from './apply-patch.ts';

/** Members that identify the message, which must stay. */
const KEPT = ['jsonrpc', 'id'];

/**
 * Applies the patch to a message. Returns a sentence when it cannot be applied, or when the result is no
 * longer the same single request.
 */
export function patchMessage(message: JsonTree, patch: JsonTree): JsonTree | string {
  let patched: JsonTree;
  try {
    patched = applyPatch(message, patch);
  } catch (error) {
    return error instanceof RangeError ? error.message : 'its patch cannot be applied';
  }
  const fault = findFault(message, patched);
  return fault === undefined ? patched : `after its patch ${fault}`;
}

function findFault(before: JsonTree, after: JsonTree): string | undefined {
  if (before.is !== 'map' || after.is !== 'map') return 'the message is not a map';
  for (const name of KEPT) {
    const [old, now] = [before.members.get(name), after.members.get(name)];
    if (jsonOf(old) !== jsonOf(now)) return `"${name}" is another`;
  }
  if (!(jsonOf(after.members.get('method')) ?? '').startsWith('"')) return '"method" is not a string';
  if (after.members.has('result') || after.members.has('error')) return 'the message is a response';
  const params = after.members.get('params');
  return params === undefined || params.is === 'map' ? undefined : '"params" is not a map';
}

function jsonOf(value: JsonTree | undefined): string | undefined {
  return value?.is === 'leaf' ? value.json : undefined;
}

/** Proxy middleware kind for mutating webhooks. Each service gets the result of the previous one. */
export const mutatingWebhooks: ProxyMiddlewareKind<typeof webhooksConfig> = {
  kind: 'mutating-webhooks',
  config: webhooksConfig,
  placed: 'mutate',
  check: checkWebhooks,
  create: async (config, context) => {
    const webhooks = await openWebhooks(config, { mayPatch: true }, context);
    return {
      close: () => webhooks.close(),
      onMessage: (message, exchange) =>
        // A response to the server's request requests nothing, so services do not see it.
        message.kind === 'response'
          ? undefined
          : mutate(message.text, exchange, webhooks.list, context.logger),
    };
  },
};

async function mutate(
  text: string,
  exchange: ClientExchange,
  webhooks: readonly Webhook[],
  logger: Logger,
): Promise<ClientVerdict | undefined> {
  const policy = { refusals: MUTATING, logger };
  const sent = parseTree(text);
  let current = sent;
  const by: string[] = [];
  for (const webhook of webhooks) {
    // An unchanged message is sent with its original text.
    const request = await askWebhook(webhook, current === sent ? text : printTree(current), exchange, policy);
    if (!request.goesOn) return { refuse: request.refuse };
    if (request.patch === undefined) continue;
    const patched = patchMessage(current, request.patch);
    if (typeof patched !== 'string') {
      if (patched !== current) by.push(webhook.name);
      current = patched;
    } else {
      const decided = whereItFails(webhook, patched, policy);
      if (!decided.goesOn) return { refuse: decided.refuse };
    }
  }
  const change = findChanges(sent, current);
  return change.length === 0 ? undefined : { change, by };
}
