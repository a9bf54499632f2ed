import type { Revocation } from '@portolan/oauth-client';
import { type StoredLogin, textOf } from '@portolan/run-spec';

/** What became of a login at its authorization server when it was to be taken back. */
export interface TakenBack {
  readonly tokens:
    | Revocation
    /** No token was kept. */
    | { readonly is: 'none' }
    /** Nobody could look, since the secret store could not be read. */
    | { readonly is: 'unread'; readonly error: unknown };
  /** Whether a client that was registered for it, and was to go as well, is still there. */
  readonly leavesClient: boolean;
}

/** For whoever logs out: why tokens are good for a while; nothing where none is. */
export function noteOnTokens(issuer: string, tokens: TakenBack['tokens']): readonly string[] {
  if (tokens.is === 'done' || tokens.is === 'none') return [];
  return [`${whyTheyStay(issuer, tokens)}: the last one is good until it ends.`];
}

/** For whoever removes a workload: what stays of its login at the server, and what to do about it. */
export function noteOnLeftLogin(
  login: StoredLogin | undefined,
  { tokens, leavesClient }: TakenBack,
): readonly string[] {
  if (login?.issuer === undefined) return [];
  const { issuer, clientId } = login;
  // One that takes none back for anybody has nothing that could be done about it.
  const leavesTokens = tokens.is !== 'done' && tokens.is !== 'none' && tokens.is !== 'not-offered';
  if (!leavesTokens && !leavesClient) return [];
  const why = leavesTokens
    ? whyTheyStay(issuer, tokens)
    : `${issuer} has not taken back the client that was registered`;
  const what = [leavesTokens ? 'its tokens' : '', leavesClient ? `the client ${clientId}` : ''];
  return [`${why}: end ${what.filter((text) => text !== '').join(' and ')} there by hand.`];
}

type StayingTokens = Exclude<TakenBack['tokens'], { is: 'none' | 'done' }>;

function whyTheyStay(issuer: string, tokens: StayingTokens): string {
  if (tokens.is === 'not-offered') return `${issuer} takes no tokens back`;
  if (tokens.is === 'refused') return `${issuer} has refused to take the tokens back (${tokens.why})`;
  if (tokens.is === 'unreachable')
    return `${issuer} could not be asked to take the tokens back (${tokens.why})`;
  return `${issuer} was not asked to take the tokens back, since the secret store cannot be read (${textOf(tokens.error)})`;
}
