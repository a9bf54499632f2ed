import type { Revocation } from '@portolan/oauth-client';
import { type StoredLogin, textOf } from '@portolan/run-spec';

/** Result of revoking a login at its authorization server. */
export interface TakenBack {
  readonly tokens: Revocation | { readonly is: 'none' } | { readonly is: 'unread'; readonly error: unknown };
  /** Whether the authorization server failed to remove the registered client. */
  readonly leavesClient: boolean;
}

export function noteOnTokens(issuer: string, tokens: TakenBack['tokens']): readonly string[] {
  if (tokens.is === 'done' || tokens.is === 'none') return [];
  return [`${whyTheyStay(issuer, tokens)}: the last one is valid until it expires.`];
}

/** Returns the note for the removal of a workload: what remains at the server, and what to do about it. */
export function noteOnLeftLogin(
  login: StoredLogin | undefined,
  { tokens, leavesClient }: TakenBack,
): readonly string[] {
  if (login?.issuer === undefined) return [];
  const { issuer, clientId } = login;
  // A note about a server that offers no revocation would not help: the user cannot revoke the tokens either.
  const leavesTokens = tokens.is !== 'done' && tokens.is !== 'none' && tokens.is !== 'not-offered';
  if (!leavesTokens && !leavesClient) return [];
  const why = leavesTokens
    ? whyTheyStay(issuer, tokens)
    : `${issuer} has not deleted the client that was registered`;
  const what = [leavesTokens ? 'its tokens' : '', leavesClient ? `the client ${clientId}` : ''];
  return [`${why}: revoke ${what.filter((text) => text !== '').join(' and ')} there manually.`];
}

type StayingTokens = Exclude<TakenBack['tokens'], { is: 'none' | 'done' }>;

function whyTheyStay(issuer: string, tokens: StayingTokens): string {
  if (tokens.is === 'not-offered') return `${issuer} cannot revoke tokens`;
  if (tokens.is === 'refused') return `${issuer} has refused to revoke the tokens (${tokens.why})`;
  if (tokens.is === 'unreachable')
    return `${issuer} could not be reached to revoke the tokens (${tokens.why})`;
  return `The tokens were not revoked at ${issuer}, because the secret store cannot be read (${textOf(tokens.error)})`;
}
