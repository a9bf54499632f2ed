import { tokenFileInvalid } from './command-line-errors.ts';
import { TOKEN_VARIABLE, tokenOfEnvironment } from '@portolan/registry-client';

/** The access token of the environment, for whatever asks who calls. Throws ERR_TOKEN_FILE for what is none. */
export async function environmentToken(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  return tokenOfEnvironment(environment, (because) => tokenFileInvalid(TOKEN_VARIABLE, because));
}
