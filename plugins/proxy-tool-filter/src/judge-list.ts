import {
  type MessageChange,
  type ResponseView,
  type ServerVerdict,
  soleMemberOf,
} from '@portolan/plugin-api';
import { listUnusable } from './refusals.ts';
import type { ToolNames } from './tool-names.ts';

/** Renames and removes tools in a list. Everything else keeps its original bytes. */
export function judgeList(names: ToolNames, { result, error }: ResponseView): ServerVerdict | undefined {
  if (error !== undefined) return undefined;
  const tools = soleMemberOf(result, 'tools');
  if (!Array.isArray(tools)) return { refuse: listUnusable('it holds no tools, or tools twice') };
  const change: MessageChange[] = [];
  for (const [index, tool] of tools.entries()) {
    const real = soleMemberOf(tool, 'name');
    if (typeof real !== 'string') return { refuse: listUnusable('one of its tools has no name, or two') };
    if (names.rival(real) !== undefined) return { refuse: listUnusable('two of its tools have one name') };
    change.push(...changesOf(names, real, ['result', 'tools', index]));
  }
  return change.length === 0 ? undefined : { change };
}

function changesOf(names: ToolNames, real: string, path: MessageChange['path']): readonly MessageChange[] {
  const seen = names.visible(real);
  if (seen === undefined) return [{ path, json: undefined }];
  const renamed = seen.name === real ? [] : [{ path: [...path, 'name'], json: JSON.stringify(seen.name) }];
  if (seen.description === undefined) return renamed;
  return [...renamed, { path: [...path, 'description'], json: JSON.stringify(seen.description) }];
}
