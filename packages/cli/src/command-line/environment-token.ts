import { tokenFileInvalid } from './command-line-errors.ts';
import { TOKEN_VARIABLE, tokenOfEnvironment } from '@portolan/registry-client';

/** Returns the access token of PORTOLAN_TOKEN. Throws ERR_TOKEN_FILE when it is unusable. */
export async function environmentToken(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  return tokenOfEnvironment(environment, (because) => tokenFileInvalid(TOKEN_VARIABLE, because));
}
