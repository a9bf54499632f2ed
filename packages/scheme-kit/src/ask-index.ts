import type { PluginContext, SchemeOptions } from '@portolan/plugin-api';
import type { IndexAuthorization } from './index-authorization.ts';
import { indexNotAsked, indexRefused } from './scheme-errors.ts';

const TIMEOUT_MS = 15_000;
/** The list of versions of the largest packages has some 20 MB. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_REDIRECTS = 10;

/**
 * Asks a package index one thing; undefined where it answers that there is no
 * such thing (`absent`). The proxies of the options' variables are used, as the
 * build does. Credentials in the address are not sent; those of `authorize` go
 * to the host of the address, and to none that it leads on to. Throws
 * ERR_PACKAGE_INDEX when it does not answer, or answers with something else.
 */
export async function askIndex(
  address: URL,
  accept: string,
  context: Pick<PluginContext, 'openFetch'>,
  { signal, caCertificates, environment }: SchemeOptions,
  authorize: IndexAuthorization = () => undefined,
  absent: readonly number[] = [404, 410],
): Promise<IndexAnswer | undefined> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const opened = await context.openFetch({
    allowPrivateAddresses: true, // an index of a company is seldom public
    environment,
    ...(caCertificates === undefined ? {} : { ca: caCertificates }),
  });
  try {
    const response = await follow(address, authorize, async (asked, authorization = '') => {
      // What fetch says of it would show it.
      if (!SENDABLE.test(authorization))
        throw indexNotAsked(address, 'the credentials for it cannot be sent');
      return await opened.fetch(asked, {
        headers: { accept, ...(authorization === '' ? {} : { authorization }) },
        redirect: 'manual',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
    });
    if (absent.includes(response.status)) return undefined;
    if (!response.ok) throw indexRefused(address, response.status, authorize(address) !== undefined);
    const type = response.headers.get('content-type') ?? '';
    return { type, text: await readText(response, address) };
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof Error && 'code' in error && error.code === 'ERR_PACKAGE_INDEX'
      ? error
      : indexNotAsked(address, timeout.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : error, error);
  } finally {
    await opened.close();
  }
}

/** Redirects are followed one by one: each address is asked with what is for it alone. */
async function follow(
  address: URL,
  authorize: IndexAuthorization,
  ask: (asked: URL, authorization: string | undefined) => Promise<Response>,
): Promise<Response> {
  let asked = withoutLogin(address);
  for (let redirects = 0; ; redirects += 1) {
    const response = await ask(asked, asked.origin === address.origin ? authorize(asked) : undefined);
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    const next = location === null ? null : URL.parse(location, asked.href);
    if (next === null) return response;
    await response.body?.cancel();
    if (redirects === MOST_REDIRECTS) throw indexNotAsked(address, 'it leads on and on');
    if (!['http:', 'https:'].includes(next.protocol))
      throw indexNotAsked(address, 'it leads to no web address');
    asked = withoutLogin(next);
  }
}

/** What the value of a header field may be made of (RFC 9110, 5.5), in ASCII. */
const SENDABLE = /^[\t\x20-\x7e]*$/;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function withoutLogin(address: URL): URL {
  const plain = new URL(address);
  plain.username = '';
  plain.password = '';
  return plain;
}

export interface IndexAnswer {
  /** Its content type. */
  readonly type: string;
  readonly text: string;
}

async function readText({ body }: Response, address: URL): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw indexNotAsked(address, `it answers with more than ${MOST_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** An address of an index as settings name it, without credentials; undefined when it is none for http or https. */
export function readIndexAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') return undefined;
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}

/** An address below an index. */
export function below(index: URL, path: string): URL {
  const url = new URL(index);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url;
}

/** The port of an address, also where it is the usual one. */
export function hostOf(url: URL): { readonly host: string; readonly port: number } {
  const usual = url.protocol === 'http:' ? 80 : 443;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? usual : Number(url.port) };
}
