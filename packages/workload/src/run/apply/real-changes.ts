import type { PlannedChange, RunPlan } from '../run-plan.ts';

/**
 * Returns the changes of a plan that the file or its entries cause. Leaves out a port that the plan chose because it is
 * free, an image that is not on the engine now, and the stored login of a remote server.
 */
export function findRealChanges({
  changes,
  settings,
}: Pick<RunPlan, 'changes' | 'settings'>): readonly PlannedChange[] {
  const isByRule = (name: string): boolean =>
    settings.some(({ setting, from }) => setting === name && from === 'rule');
  return (changes ?? []).filter(({ setting, before, after }) => {
    if (setting === 'target_port') return !(isByRule(setting) && before !== undefined);
    if (setting === 'image') return after !== undefined;
    return !setting.startsWith('remote_auth_config.cached_');
  });
}
