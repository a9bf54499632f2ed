/** The statuses that documents of skills and plugins may have, in any case. */
export const SKILL_STATUSES = ['active', 'deprecated', 'archived'] as const;
export type SkillStatus = (typeof SKILL_STATUSES)[number];

/** A skill's status, written in any case; undefined for any other text. */
export function parseSkillStatus(text: string): SkillStatus | undefined {
  return SKILL_STATUSES.find((status) => status === text.toLowerCase());
}
