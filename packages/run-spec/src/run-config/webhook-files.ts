import { type JsonObject, PortolanError } from '@portolan/plugin-api';
import { FieldReader } from '../document/field-reader.ts';
import { ownMembers } from '../document/json-members.ts';
import type { RunConfig } from './run-config.ts';
import { readWebhooks, type Webhook, type WebhookTls } from './webhooks.ts';

type WebhookFields = Pick<RunConfig, 'validating_webhooks' | 'mutating_webhooks'>;

/** Parses a webhook file. `resolve` makes its paths absolute. Throws ERR_SETTING with every problem. */
export function readWebhookDocument(
  document: JsonObject,
  file: string,
  resolve: (path: string) => string,
): WebhookFields {
  const fields = new FieldReader('');
  const map = ownMembers(document);
  fields.refuseOthers(map, '', ['validating', 'mutating']);
  const [validating, mutating] = (['validating', 'mutating'] as const).map((key) =>
    readWebhooks(fields, fields.objects(map, key), key).map((webhook) => withAbsolutePaths(webhook, resolve)),
  );
  if (fields.problems.length === 0 && validating?.length === 0 && mutating?.length === 0) {
    fields.problem('', undefined, 'webhooks in validating or mutating');
  }
  if (fields.problems.length > 0) throw badWebhookConfig(file, fields.problems);
  return { validating_webhooks: validating ?? [], mutating_webhooks: mutating ?? [] };
}

/** Merges webhook files. A later webhook replaces an earlier one of the same name. */
export function mergeWebhooks(documents: readonly WebhookFields[]): WebhookFields {
  return {
    validating_webhooks: byName(documents.flatMap(({ validating_webhooks: webhooks }) => webhooks)),
    mutating_webhooks: byName(documents.flatMap(({ mutating_webhooks: webhooks }) => webhooks)),
  };
}

function byName(webhooks: readonly Webhook[]): readonly Webhook[] {
  // Setting an existing key of a map keeps its position.
  return [...new Map(webhooks.map((webhook) => [webhook.name, webhook])).values()];
}

function withAbsolutePaths(webhook: Webhook, resolve: (path: string) => string): Webhook {
  const { tls_config: tls } = webhook;
  if (tls === undefined) return webhook;
  const { insecure_skip_verify: skips, ...files } = tls;
  const absolute: Partial<WebhookTls> = Object.fromEntries(
    Object.entries(files).map(([key, file]) => [key, resolve(file)]),
  );
  return {
    ...webhook,
    tls_config: { ...absolute, ...(skips === undefined ? {} : { insecure_skip_verify: skips }) },
  };
}

/** Creates the error for an invalid webhook file, with every problem and its place. */
function badWebhookConfig(file: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_SETTING', 'mistake', `${file} is invalid:${text}`, {
    hint: 'Compare the file with the example in docs/guides/protect/webhooks.md.',
  });
}
