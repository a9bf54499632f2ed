import {
  type ClientExchange,
  type OpenFetch,
  parseDuration,
  type ProxyMiddlewareContext,
  readSmallFile,
} from '@portolan/plugin-api';
import { randomUUID, createHmac } from 'node:crypto';
import path from 'node:path';
import { fileOf } from './check-webhooks.ts';
import { webhookCertificateUnusable, webhookFileUnusable, webhookSecretEmpty } from './errors.ts';
import { failed, readVerdict, type WebhookVerdict } from './read-verdict.ts';
import { writeWebhookBody } from './webhook-body.ts';
import type { WebhookConfig } from './webhooks-config.ts';

export interface Webhook {
  readonly name: string;
  readonly failurePolicy: WebhookConfig['failurePolicy'];
  /** Sends a message, which is JSON. Never rejects. */
  ask(message: string, exchange: ClientExchange): Promise<WebhookResponse>;
  /** Closes the connections. Waiting callers get a failure. */
  close(): Promise<void>;
}

/** Result of a call. Status 422 denies, for any body. */
export type WebhookResponse = WebhookVerdict | { readonly is: 'unprocessable' };

const MAX_ANSWER_BYTES = 1024 * 1024;

/** Throws ERR_WEBHOOK_FILE and what `secret` throws. */
export async function openWebhook(
  config: WebhookConfig,
  { mayPatch }: { readonly mayPatch: boolean },
  context: ProxyMiddlewareContext,
): Promise<Webhook> {
  const { name, url, failurePolicy, timeout, compat } = config;
  const secret = await readSecret(config, context);
  const timeoutMs = parseDuration(timeout);
  const opened = await connections(config, context);
  const { workload, version, clock } = context;
  return {
    name,
    failurePolicy,
    close: () => opened.close(),
    ask: async (message, exchange) => {
      const [uid, askedAt] = [randomUUID(), clock()];
      const body = writeWebhookBody({ uid, askedAt, message, exchange, workload });
      try {
        const response = await opened.fetch(url, {
          method: 'POST',
          body,
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json',
            'User-Agent': `portolan/${version}`,
            ...(secret === undefined ? {} : signBody(body, secret, askedAt, { compat })),
          },
        });
        if (response.status !== 200) {
          await response.body?.cancel();
          return response.status === 422
            ? { is: 'unprocessable' }
            : failed(`it responded with status ${response.status}`);
        }
        const text = await readText(response);
        return text === undefined
          ? failed('its response is too large')
          : readVerdict(text, { uid, mayPatch });
      } catch (error) {
        return failed(whyOf(error, timeout));
      }
    },
  };
}

async function readSecret(
  { name, hmacSecret }: WebhookConfig,
  context: ProxyMiddlewareContext,
): Promise<string | undefined> {
  if (hmacSecret === undefined) return undefined;
  const file = fileOf(hmacSecret);
  if (file === undefined) {
    const secret = context.secret(hmacSecret);
    if (secret === '') throw webhookSecretEmpty(name);
    return secret;
  }
  // Editors end files with a line break, which does not belong to a secret.
  return (await readNeeded(name, file)).replace(/\r?\n$/, '');
}

async function connections(
  { name, tls }: WebhookConfig,
  { openFetch, environment, directory }: ProxyMiddlewareContext,
): Promise<OpenFetch> {
  const read = async (file: string): Promise<string> => await readNeeded(name, path.resolve(directory, file));
  const { caBundle, clientCertificate, clientKey, insecureSkipVerify } = tls;
  const ca = caBundle === undefined ? {} : { ca: await read(caBundle) };
  const shown =
    clientCertificate === undefined || clientKey === undefined
      ? {}
      : { clientCertificate: { certificate: await read(clientCertificate), key: await read(clientKey) } };
  try {
    // Private addresses are allowed, because the operator's own services usually have them.
    return await openFetch({
      ...ca,
      ...shown,
      environment,
      allowPrivateAddresses: true,
      verifiesServer: !insecureSkipVerify,
    });
  } catch (error) {
    throw webhookCertificateUnusable(name, error);
  }
}

async function readNeeded(webhook: string, file: string): Promise<string> {
  let text: string;
  try {
    text = await readSmallFile(file);
  } catch (error) {
    throw webhookFileUnusable(webhook, file, error);
  }
  if (text.trim() === '') throw webhookFileUnusable(webhook, file);
  return text;
}

/** Reads a body as text. Returns undefined when it is too large. Throws for invalid UTF-8. */
async function readText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (bytes > MAX_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}

/** Returns the reason of a failure, without text from the service. */
function whyOf(error: unknown, timeout: string): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return `it did not respond within ${timeout}`;
  for (let inner: unknown = error; inner instanceof Error; inner = inner.cause) {
    if ('code' in inner && typeof inner.code === 'string') return `the request failed: ${inner.code}`;
  }
  return 'the request failed';
}

/** Returns the HMAC-SHA256 over the time, a dot and the bytes of the body. */
function signBody(
  body: string,
  secret: string,
  at: Date,
  { compat }: { readonly compat: boolean },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
  return {
    'X-Portolan-Timestamp': timestamp,
    'X-Portolan-Signature': signature,
    ...(compat ? { 'X-ToolHive-Timestamp': timestamp, 'X-ToolHive-Signature': signature } : {}),
  };
}
