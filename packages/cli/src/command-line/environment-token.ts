import { tokenFileInvalid } from './command-line-errors.ts';

/** The access token of the environment, for workloads that ask who calls. Throws ERR_TOKEN_FILE for what is none. */
export async function environmentToken(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const token = environment['PORTOLAN_TOKEN'];
  if (token === undefined || token === '') return undefined;
  const { findTokenFault } = await import('@portolan/registry-client');
  const fault = findTokenFault(token);
  if (fault !== undefined) throw tokenFileInvalid('PORTOLAN_TOKEN', fault);
  return token;
}
