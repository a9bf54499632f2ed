import { isPlainMap } from '../../config/plain-data.ts';
import type { Report, RuleInput } from './rule.ts';

/** Permits `auth.requireClaims: false` only with an identifying mode and without `authz`. */
export function checkAuth({ config, kinds }: RuleInput, report: Report): void {
  const { auth } = config;
  if (!isPlainMap(auth) || auth['requireClaims'] !== false) return;
  const place = ['auth', 'requireClaims'];
  const { mode, authz } = auth;
  if (authz !== undefined)
    return report(
      place,
      'false beside auth.authz',
      'true, or no auth.authz: roles and claims need labelled entries',
    );
  if (typeof mode !== 'string' || kinds.authProviders.get(mode)?.kind.identifies !== false) return;
  report(
    place,
    `false in the mode "${mode}"`,
    'no such key: this mode identifies nobody and never needs claims',
  );
}
