import { type JsonObject, parseDuration } from '@portolan/plugin-api';
import path from 'node:path';
import { type FieldReader, pathOf } from '../document/field-reader.ts';
import type { JsonMembers } from '../document/json-members.ts';
import { findSecretReference, formatSecretReference } from '../parse/secret-reference.ts';

/** TLS settings of a webhook. An absent member has its type's zero value. */
export interface WebhookTls {
  readonly ca_bundle_path: string;
  readonly client_cert_path: string;
  readonly client_key_path: string;
  readonly insecure_skip_verify: boolean;
}

/** External service that is called for each client message. */
export interface Webhook {
  readonly name: string;
  readonly url: string;
  /** Timeout in nanoseconds. Default: 10 s. */
  readonly timeout?: number;
  readonly failure_policy: string;
  readonly tls_config?: Partial<WebhookTls>;
  /** Key for signatures: an absolute file path, or a secret reference `NAME,target=TARGET`. */
  readonly hmac_secret_ref?: string;
  /** Only Portolan has this field: also sends signatures in the headers of the reference implementation. */
  readonly compat?: true;
}

const NS_PER_MS = 1e6;
const [SHORTEST_NS, MAX_NS_LENGTH] = [1000 * NS_PER_MS, 30_000 * NS_PER_MS];
const KEYS = ['name', 'url', 'timeout', 'failure_policy', 'tls_config', 'hmac_secret_ref', 'compat'];
const TLS_FILES = ['ca_bundle_path', 'client_cert_path', 'client_key_path'] as const;

/** Parses webhooks. `at` is the path of the list, for problems. */
export function readWebhooks(
  fields: FieldReader,
  list: readonly JsonMembers[],
  at: string,
): readonly Webhook[] {
  const names = new Set<string>();
  return list.map((map, index) => {
    const place = `${at}[${index}]`;
    const webhook = readWebhook(fields, map, place);
    if (names.has(webhook.name)) fields.problem(pathOf(place, 'name'), webhook.name, 'a name of its own');
    names.add(webhook.name);
    return webhook;
  });
}

function readWebhook(fields: FieldReader, map: JsonMembers, at: string): Webhook {
  fields.refuseOthers(map, at, KEYS);
  const name = fields.text(map, 'name', at);
  if (name === '') fields.problem(pathOf(at, 'name'), undefined, 'a name');
  const failurePolicy = fields.text(map, 'failure_policy', at);
  if (!['fail', 'ignore'].includes(failurePolicy)) {
    fields.problem(pathOf(at, 'failure_policy'), map['failure_policy'], 'fail or ignore');
  }
  const tls = readTls(fields, map, at);
  const timeout = readTimeout(fields, map, at);
  const secret = readSecret(fields, map, at);
  return {
    name,
    url: readUrl(fields, map, at, tls?.insecure_skip_verify === true),
    ...(timeout === 0 ? {} : { timeout }),
    failure_policy: failurePolicy,
    ...(tls === undefined ? {} : { tls_config: tls }),
    ...(secret === '' ? {} : { hmac_secret_ref: secret }),
    ...(fields.truth(map, 'compat', at) ? { compat: true } : {}),
  };
}

function readUrl(fields: FieldReader, map: JsonMembers, at: string, isTrial: boolean): string {
  const text = fields.text(map, 'url', at);
  const url = URL.parse(text);
  const isFine = url?.protocol === 'https:' || (isTrial && url?.protocol === 'http:');
  if (!isFine || url.username !== '' || url.password !== '') {
    const expected = isTrial
      ? 'an http or https address'
      : 'an https address, or insecure_skip_verify in tls_config';
    fields.problem(pathOf(at, 'url'), map['url'], `${expected}, without a name or password`);
  }
  return text;
}

/** Parses nanoseconds; 0 when absent. */
function readTimeout(fields: FieldReader, map: JsonMembers, at: string): number {
  const { timeout } = map;
  const ns = typeof timeout === 'string' ? durationNs(timeout) : fields.integer(map, 'timeout', at);
  if (ns === 0 && timeout !== '0') return 0;
  if (!(ns >= SHORTEST_NS && ns <= MAX_NS_LENGTH)) {
    fields.problem(pathOf(at, 'timeout'), timeout, 'a time from 1s to 30s, as 5s or in nanoseconds');
  }
  return ns;
}

/** Returns NaN for an invalid text. */
function durationNs(text: string): number {
  try {
    return Math.round(parseDuration(text) * NS_PER_MS);
  } catch {
    return Number.NaN;
  }
}

function readTls(fields: FieldReader, map: JsonMembers, at: string): Partial<WebhookTls> | undefined {
  const document = fields.object(map, 'tls_config', at);
  if (document === undefined) return undefined;
  const place = pathOf(at, 'tls_config');
  fields.refuseOthers(document, place, [...TLS_FILES, 'insecure_skip_verify']);
  const files = TLS_FILES.map((key) => [key, fields.text(document, key, place)] as const);
  const skips = fields.truth(document, 'insecure_skip_verify', place);
  const tls: Partial<WebhookTls> = {
    ...Object.fromEntries(files.filter(([, file]) => file !== '')),
    ...(skips ? { insecure_skip_verify: true } : {}),
  };
  if ((tls.client_cert_path === undefined) !== (tls.client_key_path === undefined)) {
    fields.problem(place, document, 'client_cert_path and client_key_path, or neither');
  }
  return tls;
}

/** Parses a secret reference in the form that every search for references recognizes. */
function readSecret(fields: FieldReader, map: JsonMembers, at: string): string {
  const text = fields.text(map, 'hmac_secret_ref', at);
  if (text === '' || path.isAbsolute(text) || findSecretReference(text) !== undefined) return text;
  const reference = formatSecretReference({ name: text, target: 'webhook_hmac' });
  if (findSecretReference(reference) === undefined) {
    fields.problem(pathOf(at, 'hmac_secret_ref'), text, 'an absolute path, or the name of a secret');
  }
  return reference;
}

export function webhookParameters(webhooks: readonly Webhook[]): JsonObject | undefined {
  if (webhooks.length === 0) return undefined;
  return { webhooks: webhooks.map(parametersOf) };
}

function parametersOf({
  name,
  url,
  timeout,
  failure_policy,
  tls_config: tls = {},
  ...rest
}: Webhook): JsonObject {
  const { hmac_secret_ref: hmacSecret, compat } = rest;
  const { ca_bundle_path: ca, client_cert_path: certificate, client_key_path: key } = tls;
  return {
    name,
    url,
    ...(timeout === undefined ? {} : { timeout: `${timeout / NS_PER_MS}ms` }),
    failurePolicy: failure_policy,
    tls: {
      ...(ca === undefined ? {} : { caBundle: ca }),
      ...(certificate === undefined ? {} : { clientCertificate: certificate }),
      ...(key === undefined ? {} : { clientKey: key }),
      ...(tls.insecure_skip_verify === true ? { insecureSkipVerify: true } : {}),
    },
    ...(hmacSecret === undefined ? {} : { hmacSecret }),
    ...(compat === undefined ? {} : { compat }),
  };
}
