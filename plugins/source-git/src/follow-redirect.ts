import { askAddress, faultIn, reasonIn } from '@portolan/outbound';
import type { PluginContext } from '@portolan/plugin-api';
import { redirected, unreachable } from './errors.ts';
import type { GitConfig } from './git-config.ts';
import { readAuthorities } from './read-authorities.ts';
import { readPassword } from './read-password.ts';

const MAX_REDIRECTS = 5;
const MAX_MS = 3_600_000;
const QUESTION = '/info/refs';

export interface RedirectInput {
  readonly config: GitConfig;
  readonly context: Pick<PluginContext, 'directory' | 'environment' | 'openFetch'>;
  readonly address: string;
  /** Also aborts when the time is over. */
  readonly signal: AbortSignal;
}

/**
 * Follows a redirect, which servers send for an earlier name and for a name that ends in `.git`. Throws
 * ERR_SOURCE_REDIRECT for another server.
 */
export async function followRedirect(input: RedirectInput): Promise<string> {
  const { config, context, address, signal } = input;
  const ca = config.caCertPath;
  const opened = await context.openFetch({
    allowPrivateAddresses: true,
    environment: context.environment,
    ...(ca === undefined ? {} : { ca: (await readAuthorities(ca, context.directory)).text }),
  });
  try {
    const authorization = await authorizationOf(input);
    const url = new URL(`${address}${QUESTION}?service=git-upload-pack`);
    const question = {
      fetch: opened.fetch,
      headers: { accept: '*/*', 'git-protocol': 'version=2', 'user-agent': 'git/portolan' },
      authorize: () => authorization,
      redirects: { max: MAX_REDIRECTS, refuse: refusalOf },
      timeoutMs: MAX_MS,
      signal,
    };
    const { href } = await askAddress(url, question, async ({ address: match }) => match);
    const found = new URL(href);
    if (!found.pathname.endsWith(QUESTION)) throw redirected('to a page that is no repository');
    return `${found.origin}${found.pathname.slice(0, -QUESTION.length)}`;
  } catch (error) {
    const fault = faultIn(error);
    if (fault === undefined) throw error;
    if (fault.kind === 'redirect')
      throw redirected(fault.to === undefined ? 'without saying where to' : fault.because);
    if (fault.kind === 'redirects') throw redirected(`more than ${MAX_REDIRECTS} times`);
    throw unreachable('the redirect has no target', new Error(reasonIn(error)));
  } finally {
    await opened.close();
  }
}

function refusalOf(from: URL, to: URL): string | undefined {
  if (from.protocol !== to.protocol) return `to an address that begins with ${to.protocol}`;
  return from.origin === to.origin ? undefined : 'to another host';
}

async function authorizationOf({ config: { auth }, context }: RedirectInput): Promise<string | undefined> {
  if (auth === undefined) return undefined;
  const password = await readPassword(auth, context.directory);
  return `Basic ${Buffer.from(`${auth.username}:${password}`).toString('base64')}`;
}
