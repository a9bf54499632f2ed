import type { KindProblem } from '@portolan/plugin-api';
import type { ToolFilterConfig } from './tool-filter-config.ts';

/**
 * Checks the settings: overrides without effect, tools that get the same name, and names that no longer
 * exist.
 */
export function checkToolFilter({ tools, override }: ToolFilterConfig): readonly KindProblem[] {
  const entries = Object.entries(override);
  const byName = new Map<string, string>();
  const problems: KindProblem[] = [];
  for (const [real, { name = real, description }] of entries) {
    const taken = byName.get(name);
    if (name === real && description === undefined) {
      problems.push({ place: `override.${real}`, found: 'no change', expected: 'a name or a description' });
    } else if (taken !== undefined) {
      const found = `${name}, which is already the name of ${taken}`;
      problems.push({ place: `override.${real}.name`, found, expected: 'a unique name' });
    } else byName.set(name, real);
  }
  for (const [index, tool] of tools.entries()) {
    const newName = Object.hasOwn(override, tool) ? override[tool]?.name : undefined;
    if (newName === undefined || newName === tool || byName.has(tool)) continue;
    const found = `${tool}, which clients see as ${newName}`;
    problems.push({ place: `tools[${index}]`, found, expected: newName });
  }
  return problems;
}
