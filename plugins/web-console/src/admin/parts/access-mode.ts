import type { ManageView } from './manage-page.ts';
import { isOpenToAll } from './allowed-roles.ts';
import { type ModeAnswer, said } from './api-answers.ts';

/** How this server decides who sees what: by claims and roles, by a token alone, or it asks nobody. */
export type AccessMode = ModeAnswer['mode'];

const REMEMBERED_MS = 60_000;
const MODES = new WeakMap<ManageView['parts'], { readonly until: number; readonly mode: AccessMode }>();

/** The mode, as the API tells it to whoever asks why they see something. It changes with the configuration alone. */
export async function accessMode(view: ManageView): Promise<AccessMode> {
  if (await isOpenToAll(view)) return 'anonymous';
  const now = view.parts.context.clock().getTime();
  const known = MODES.get(view.parts);
  if (known !== undefined && known.until > now) return known.mode;
  const answer = await view.api({ method: 'POST', path: '/v1/authz/explain', body: {} });
  // Of what is not told, the strictest is said.
  if (answer.status !== 200) return 'full';
  const { mode } = said<ModeAnswer>(answer);
  MODES.set(view.parts, { until: now + REMEMBERED_MS, mode });
  return mode;
}

/** What is to be known where claims are typed: who they are for, and whether there have to be any. */
export async function claimsHint(view: ManageView, what: string): Promise<string> {
  const mode = await accessMode(view);
  const isBound = mode === 'full' && !view.roles.includes('superAdmin');
  const rule = isBound ? 'At least one, and none but those that you hold yourself.' : WITHOUT_CLAIMS[mode];
  return `What callers have to hold to ${what}. ${rule}`;
}

/** What it means that something has no claims. */
export const WITHOUT_CLAIMS: Readonly<Record<AccessMode, string>> = {
  full: 'Without any, only superAdmins may.',
  'auth-only':
    'This server does not look at claims yet (no auth.authz is configured): whoever has a token may.',
  anonymous: 'This server does not look at claims yet, since it asks nobody who they are: everybody may.',
};
