import type { EntryStatus } from '@portolan/plugin-api';
import { textOf } from '../json-value.ts';

/** The statuses of skills and plugins, as their documents are answered. */
export const SKILL_STATUSES = ['ACTIVE', 'DEPRECATED', 'ARCHIVED'] as const;
export type SkillStatus = (typeof SKILL_STATUSES)[number];

/** A skill's status, written in any case; undefined for any other text. */
export function parseSkillStatus(text: string): SkillStatus | undefined {
  return SKILL_STATUSES.find((status) => status === text.toUpperCase());
}

/**
 * The status a skill or plugin is answered with. Stored are only `active`,
 * `deprecated` and `deleted`: an archived skill is stored as `deprecated` (it is
 * listed, and not recommended) and told apart by its document. A status that
 * was changed in the registry wins over the document's; a deleted entry, where
 * it is shown at all, is `ARCHIVED`.
 */
export function skillStatusOf(stored: EntryStatus, document: unknown): SkillStatus {
  if (stored === 'active') return 'ACTIVE';
  if (stored === 'deleted') return 'ARCHIVED';
  const published = parseSkillStatus(textOf(document, 'status') ?? '');
  return published === 'ARCHIVED' ? 'ARCHIVED' : 'DEPRECATED';
}
