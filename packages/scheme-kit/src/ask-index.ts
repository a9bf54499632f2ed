import { askDocument, type Fault, faultIn } from '@portolan/outbound';
import { isPortolanError, type PluginContext, type SchemeOptions } from '@portolan/plugin-api';
import type { IndexAuthorization } from './index-authorization.ts';
import { indexNotAsked, indexRefused } from './scheme-errors.ts';

const TIMEOUT_MS = 15_000;
/** The list of versions of the largest packages has some 20 MB. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_REDIRECTS = 10;

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
  const opened = await context.openFetch({
    allowPrivateAddresses: true, // an index of a company is seldom public
    loopbackFor: [address.href],
    environment,
    ...(caCertificates === undefined ? {} : { ca: caCertificates }),
  });
  try {
    const { status, type, bytes } = await askDocument(address, {
      fetch: opened.fetch,
      headers: { accept },
      authorize: (asked) => sendable(authorize(asked), address),
      redirects: {
        most: MAX_REDIRECTS,
        refuse: (_from, to) =>
          ['http:', 'https:'].includes(to.protocol) ? undefined : 'it leads to no web address',
      },
      timeoutMs: TIMEOUT_MS,
      mostBytes: MAX_BYTES,
      reads: isOk,
      signal,
    });
    if (absent.includes(status)) return undefined;
    if (!isOk(status)) throw indexRefused(address, status, authorize(address) !== undefined);
    return { type, text: new TextDecoder().decode(bytes) };
  } catch (error) {
    signal?.throwIfAborted();
    const fault = faultIn(error);
    if (fault !== undefined) throw indexNotAsked(address, whyOf(fault), error);
    throw isPortolanError(error) && error.code === 'ERR_PACKAGE_INDEX'
      ? error
      : indexNotAsked(address, error, error);
  } finally {
    await opened.close();
  }
}

function isOk(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** What fetch says of a value that it cannot send would show it. */
function sendable(authorization: string | undefined, address: URL): string | undefined {
  if (authorization === undefined || SENDABLE.test(authorization)) return authorization;
  throw indexNotAsked(address, 'the credentials for it cannot be sent');
}

/** What the value of a header field may be made of (RFC 9110, 5.5), in ASCII. */
const SENDABLE = /^[\t\x20-\x7e]*$/;

/** In words, or what happened. */
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

export interface IndexAnswer {
  /** Its content type. */
  readonly type: string;
  readonly text: string;
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
