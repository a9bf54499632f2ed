import type { Role } from '@portolan/plugin-api';
import { isOpenToAll, type RolesView } from './allowed-roles.ts';
import { type ModeResponse, said } from './api-responses.ts';
import { ForAMinute } from '../../responses/for-a-minute.ts';

/** Mode in which this server authorizes: by claims and roles, by a token alone, or without authentication. */
export type AccessMode = ModeResponse['mode'];

type ModeView = Pick<RolesView, 'parts' | 'request' | 'api'>;

const MODES = new ForAMinute<AccessMode>();

/** Returns the access mode of the server, from a cache: only a new configuration changes it. */
export async function accessMode(view: ModeView): Promise<AccessMode> {
  if (await isOpenToAll(view)) return 'anonymous';
  const mode = await MODES.find(view.parts, async () => {
    const response = await view.api({ method: 'POST', path: '/v1/authz/explain', body: {} });
    return response.status === 200 ? said<ModeResponse>(response).mode : undefined;
  });
  // An unknown mode counts as the strictest one.
  return mode ?? 'full';
}

/**
 * Explanations of what claims control, by kind of resource. Published entries, and entries of some kinds of
 * sources, have claims of their own.
 */
export const CLAIMS_OF = {
  source:
    'What callers have to hold to manage the source, and to see those of its entries that have their claims from it.',
  sourceWithEntries: 'What callers have to hold to see the entries of the source, and to manage it.',
  sourceAlone: 'What callers have to hold to manage the source. Its entries have claims of their own.',
  registry: 'What callers have to hold to read from the registry, unless it is public, and to manage it.',
  entry: 'What callers have to hold to see the entry, all its versions.',
} as const;

export async function claimsHint(
  view: ModeView & { readonly roles: readonly Role[] },
  what: keyof typeof CLAIMS_OF,
): Promise<string> {
  const mode = await accessMode(view);
  const isBound = mode === 'full' && !view.roles.includes('superAdmin');
  const rule = isBound ? 'At least one, and none but those that you hold yourself.' : WITHOUT_CLAIMS[mode];
  const notes = [CLAIMS_OF[what], rule];
  if (mode === 'auth-only' && what === 'entry')
    notes.push(
      'A publish needs at least one, unless the server is configured with `auth.requireClaims: false`.',
    );
  if (isBound || mode === 'auth-only')
    notes.push('Only a superAdmin under full authorization may choose “any value”.');
  return notes.join(' ');
}

export const WITHOUT_CLAIMS: Readonly<Record<AccessMode, string>> = {
  full: 'Without any, only superAdmins may.',
  'auth-only':
    'They are kept, but not asked of those who have a token, since no auth.authz is configured; they decide what a public registry shows to others.',
  anonymous:
    'They are stored, but not enforced: every caller may, because this server has no authentication.',
};
