import {
  type DiscoveredLogin,
  isClientDocument,
  oauthErrorOf,
  offersDeviceFlow,
  type OauthWeb,
  takesClientDocuments,
  type TokenSet,
} from '@portolan/oauth-client';
import type { RemoteAuth, RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import {
  forgetClient,
  isStillOurs,
  type LoginClient,
  provideClient,
  registeredBefore,
} from './login-client.ts';
import type { Person } from './person.ts';
import type { SecretsByName } from './remote-secrets.ts';
import { walkLogin } from './walk-login.ts';

/** Everything that `logInAs` needs for a login. */
export interface LoginWork {
  readonly config: RunConfig;
  readonly auth: RemoteAuth;
  readonly ownSecret: string | undefined;
  readonly secrets: SecretsByName;
  readonly found: DiscoveredLogin & { readonly needsMore: boolean };
  readonly person: Person;
  readonly web: OauthWeb;
  readonly context: Pick<WorkloadContext, 'clock'>;
}

export interface LoginDone {
  readonly provided: LoginClient;
  /**
   * Whether the client's id is the URL of a client ID metadata document, which the authorization server
   * fetches.
   */
  readonly isDocument: boolean;
  readonly tokens: TokenSet;
}

/**
 * Shows the user where to log in, and waits for the result. A client id that is an https URL is used as a
 * client ID metadata document, if the server supports such documents. Otherwise, or when the server rejects
 * the document, registers a new client. Throws ERR_LOGIN_*, after removing the new client.
 */
export async function logInAs(work: LoginWork, signal: AbortSignal): Promise<LoginDone> {
  const { auth, ownSecret, found, secrets, person, web } = work;
  const { server } = found;
  const { clientId, callbackPort, login } = auth;
  const isAddress = clientId !== undefined && ownSecret === undefined && isClientDocument(clientId);
  const isDocument = isAddress && takesClientDocuments(server);
  const registers = server.metadata.registration_endpoint !== undefined;
  const isPassedOver = isAddress && !isDocument && registers;
  const choice = {
    own: clientId === undefined || isPassedOver ? undefined : { clientId, clientSecret: ownSecret },
    earlier: isStillOurs(login, secrets) ? registeredBefore(login, server.issuer, secrets) : undefined,
    earlierPort: login?.callbackPort,
    callbackPort,
  };
  const usesDevice = !person.hasBrowser && !auth.skipsBrowser && offersDeviceFlow(server);
  const place = { ...found, usesDevice };
  const provided = await provideClient(choice, place, web, signal);
  try {
    const { name: forWhat, remote_url: remoteUrl } = work.config;
    const { clock } = work.context;
    const walk = { ...auth, place, provided, person, forWhat, remoteUrl, web, clock };
    const tokens = await walkLogin(walk, signal);
    return { provided, isDocument, tokens };
  } catch (error) {
    await forgetClient(provided, web);
    if (!isDocument || !registers || !refusesClient(error)) throw error;
  } finally {
    await provided.listener.close();
  }
  return await logInAs({ ...work, auth: { ...auth, clientId: undefined } }, signal);
}

/** Error codes for an unknown client, from RFC 6749, GitHub and Slack. */
const CLIENT_REFUSALS: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'incorrect_client_credentials',
  'invalid_client_id',
  'bad_client_secret',
]);

function refusesClient(error: unknown): boolean {
  const code = error instanceof Error ? oauthErrorOf(error.cause) : undefined;
  return code !== undefined && CLIENT_REFUSALS.has(code);
}
