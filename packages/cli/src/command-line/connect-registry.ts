import { openFetch } from '@portolan/outbound';
import { parseDuration } from '@portolan/plugin-api';
import type { Readable } from 'node:stream';
import { ServerClient, parseServerAddress } from '@portolan/registry-client';
import { badArgument } from '../terminal/terminal-errors.ts';
import type { ServerFlags } from './flags/server-flags.ts';
import { readAuthorities } from './read-authorities.ts';
import { readToken } from './read-token.ts';
import { refusalError } from '../publish/refusal-error.ts';

export interface ConnectOptions {
  /** Version of the command line, for the server's log. */
  readonly version: string;
  /** Whose proxies are used. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
}

/** Longer than any request takes, and below what a timer can wait. */
const LONGEST_TIMEOUT_MS = 24 * 3_600_000;

/**
 * A client for the server that the flags name. Nothing is sent yet; whoever asks
 * for it closes it. Throws
 * ERR_SERVER_ADDRESS, ERR_TOKEN_FILE, ERR_CERTIFICATE_FILE, ERR_DURATION or
 * ERR_BAD_ARGUMENT.
 */
export async function connectRegistry(
  flags: ServerFlags,
  { version, environment, stdin }: ConnectOptions,
): Promise<ServerClient> {
  const address = parseServerAddress(flags.url, { allowInsecure: flags['allow-insecure'] });
  const timeoutMs = parseDuration(flags.timeout);
  if (timeoutMs <= 0 || timeoutMs > LONGEST_TIMEOUT_MS)
    throw badArgument('--timeout has to be above 0 and at most 24h');
  const tokenFile = flags['token-file'];
  const token = tokenFile === undefined ? undefined : await readToken(tokenFile, stdin);
  const caFile = flags['ca-cert'];
  const ca = caFile === undefined ? undefined : await readAuthorities(caFile);
  return new ServerClient(
    { openFetch, environment, version },
    { address, token, timeoutMs: Math.ceil(timeoutMs), refusalError, ...(ca === undefined ? {} : { ca }) },
  );
}
