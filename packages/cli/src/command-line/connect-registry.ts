import { openFetch } from '@portolan/outbound';
import { parseDuration } from '@portolan/plugin-api';
import type { Readable } from 'node:stream';
import {
  accessWith,
  parseServerAddress,
  type RegistryAccess,
  ServerClient,
  TOKEN_VARIABLE,
  tokenOfEnvironment,
} from '@portolan/registry-client';
import { badArgument } from '../terminal/terminal-errors.ts';
import type { ServerFlags } from './flags/server-flags.ts';
import { readAuthorities } from './read-authorities.ts';
import { tokenFileInvalid } from './command-line-errors.ts';
import { readToken } from './read-token.ts';
import { refusalError } from '../publish/refusal-error.ts';

export interface ConnectOptions {
  /** Version of the command line, for the server's log. */
  readonly version: string;
  /** Environment with the proxy settings. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly urlFrom: '--url' | 'PORTOLAN_URL';
  /** Returns access with the stored login for the server; undefined without a login. */
  readonly findLogin: (server: URL) => Promise<RegistryAccess | undefined>;
}

/** Longer than any request takes, and within the range of a timer. */
const MAX_TIMEOUT_MS = 24 * 3_600_000;

/**
 * Creates a client for the server of the flags, without a request. The token is that of `--token-file`, else
 * of PORTOLAN_TOKEN, else of a stored login. The caller closes the client. Throws ERR_SERVER_ADDRESS,
 * ERR_TOKEN_FILE, ERR_NAMED_FILE, ERR_SETTING, ERR_BAD_ARGUMENT, and the errors of `findLogin`.
 */
export async function connectRegistry(
  flags: ServerFlags,
  { version, environment, stdin, urlFrom, findLogin }: ConnectOptions,
): Promise<ServerClient> {
  const address = parseServerAddress(flags.url, { allowInsecure: flags['allow-insecure'], origin: urlFrom });
  const timeoutMs = parseTimeout(flags.timeout);
  const tokenFile = flags['token-file'];
  const token =
    tokenFile === undefined
      ? tokenOfEnvironment(environment, (because) => tokenFileInvalid(TOKEN_VARIABLE, because))
      : await readToken(tokenFile, stdin);
  const caFile = flags['ca-cert'];
  const ca = caFile === undefined ? undefined : await readAuthorities(caFile);
  const access = token === undefined ? await findLogin(address) : undefined;
  return new ServerClient(
    { openFetch, environment, version },
    {
      address,
      access: access ?? accessWith(token),
      timeoutMs,
      refusalError,
      ...(ca === undefined ? {} : { ca }),
    },
  );
}

/**
 * Returns the duration of `--timeout` in whole milliseconds. Throws ERR_SETTING, and ERR_BAD_ARGUMENT when it
 * is out of range.
 */
export function parseTimeout(text: string): number {
  const timeoutMs = parseDuration(text);
  if (timeoutMs <= 0 || timeoutMs > MAX_TIMEOUT_MS)
    throw badArgument('--timeout: expected a duration above 0 and at most 24h');
  return Math.ceil(timeoutMs);
}
