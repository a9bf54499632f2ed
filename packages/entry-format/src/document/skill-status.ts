export const SKILL_STATUSES = ['active', 'deprecated', 'archived'] as const;
export type SkillStatus = (typeof SKILL_STATUSES)[number];

export function parseSkillStatus(text: string): SkillStatus | undefined {
  return SKILL_STATUSES.find((status) => status === text.toLowerCase());
}
