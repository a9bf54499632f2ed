import { askDocument, type Fault, faultIn } from '@portolan/outbound';
import { isPortolanError, type PluginContext, type SchemeOptions } from '@portolan/plugin-api';
import type { IndexAuthorization } from './index-authorization.ts';
import { indexUnused, indexRefused } from './scheme-errors.ts';

const TIMEOUT_MS = 15_000;
/** Maximum size of a response, in bytes. The version lists of the largest packages have about 20 MB. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_REDIRECTS = 10;

/**
 * Returns undefined when the resource does not exist (`absent`). Uses the proxies in the options'
 * environment. Credentials of `authorize` go only to the host of the address, not to redirect targets. Throws
 * ERR_PACKAGE_INDEX.
 */
export async function askIndex(
  address: URL,
  accept: string,
  context: Pick<PluginContext, 'openFetch'>,
  { signal, caCertificates, environment }: SchemeOptions,
  authorize: IndexAuthorization = () => undefined,
  absent: readonly number[] = [404, 410],
): Promise<IndexResponse | undefined> {
  const opened = await context.openFetch({
    allowPrivateAddresses: true, // a company's index is often in a private network
    loopbackFor: [address.href],
    environment,
    ...(caCertificates === undefined ? {} : { ca: caCertificates }),
  });
  try {
    const { status, type, bytes } = await askDocument(address, {
      fetch: opened.fetch,
      headers: { accept },
      authorize: (url) => sendable(authorize(url), address),
      redirects: {
        max: MAX_REDIRECTS,
        refuse: (_from, to) =>
          ['http:', 'https:'].includes(to.protocol) ? undefined : 'it leads to no web address',
      },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      reads: isOk,
      signal,
    });
    if (absent.includes(status)) return undefined;
    if (!isOk(status)) throw indexRefused(address, status, authorize(address) !== undefined);
    return { type, text: new TextDecoder().decode(bytes) };
  } catch (error) {
    signal?.throwIfAborted();
    const fault = faultIn(error);
    if (fault !== undefined) throw indexUnused(address, whyOf(fault), error);
    throw isPortolanError(error) && error.code === 'ERR_PACKAGE_INDEX'
      ? error
      : indexUnused(address, error, error);
  } finally {
    await opened.close();
  }
}

function isOk(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Checks the value first, because fetch's error contains it. */
function sendable(authorization: string | undefined, address: URL): string | undefined {
  if (authorization === undefined || SENDABLE.test(authorization)) return authorization;
  throw indexUnused(address, 'the credentials for it cannot be sent');
}

/** Matches values that an HTTP header can carry (RFC 9110, section 5.5). */
const SENDABLE = /^[\t\x20-\x7e]*$/;

function whyOf(fault: Fault): unknown {
  switch (fault.kind) {
    case 'time':
      return `no answer within ${TIMEOUT_MS / 1000} s`;
    case 'size':
      return `it answers with more than ${MAX_BYTES} bytes`;
    case 'redirects':
      return 'it leads on and on';
    case 'redirect':
      return fault.to === undefined ? 'it leads on to nowhere' : fault.because;
    case 'address':
    case 'connection':
    case 'body':
      return fault.cause;
    default:
      return fault satisfies never;
  }
}

export interface IndexResponse {
  readonly type: string;
  readonly text: string;
}

/**
 * Parses the address of an index and drops its credentials. Returns undefined unless it begins with http or
 * https.
 */
export function readIndexAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') return undefined;
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}

export function below(index: URL, path: string): URL {
  const url = new URL(index);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url;
}

/** Returns host and port of an address, including default ports. */
export function hostOf(url: URL): { readonly host: string; readonly port: number } {
  const usual = url.protocol === 'http:' ? 80 : 443;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? usual : Number(url.port) };
}
