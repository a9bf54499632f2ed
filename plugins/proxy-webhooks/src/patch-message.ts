import { applyPatch } from './apply-patch.ts';
import type { JsonTree } from './json-tree.ts';

/** Members that identify the message, which must stay. */
const KEPT = ['jsonrpc', 'id'];

/**
 * Applies the patch to a message. Returns a sentence when it cannot be applied, or when the result is no
 * longer the same single request.
 */
export function patchMessage(message: JsonTree, patch: JsonTree): JsonTree | string {
  let patched: JsonTree;
  try {
    patched = applyPatch(message, patch);
  } catch (error) {
    return error instanceof RangeError ? error.message : 'its patch cannot be applied';
  }
  const fault = findFault(message, patched);
  return fault === undefined ? patched : `after its patch ${fault}`;
}

function findFault(before: JsonTree, after: JsonTree): string | undefined {
  if (before.is !== 'map' || after.is !== 'map') return 'the message is not a map';
  for (const name of KEPT) {
    const [old, now] = [before.members.get(name), after.members.get(name)];
    if (jsonOf(old) !== jsonOf(now)) return `"${name}" is another`;
  }
  if (!(jsonOf(after.members.get('method')) ?? '').startsWith('"')) return '"method" is not a string';
  if (after.members.has('result') || after.members.has('error')) return 'the message is a response';
  const params = after.members.get('params');
  return params === undefined || params.is === 'map' ? undefined : '"params" is not a map';
}

function jsonOf(value: JsonTree | undefined): string | undefined {
  return value?.is === 'leaf' ? value.json : undefined;
}
