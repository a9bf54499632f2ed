import type { GitConfig } from './git-config.ts';

export type ReferenceSelection =
  | { readonly kind: 'default' }
  | { readonly kind: 'branch' | 'tag' | 'commit'; readonly name: string };

/** Returns the reference to resolve; a commit in lower case. */
export function wantedReference({
  branch,
  tag,
  commit,
}: Pick<GitConfig, 'branch' | 'tag' | 'commit'>): ReferenceSelection {
  if (commit !== undefined) return { kind: 'commit', name: commit.toLowerCase() };
  if (tag !== undefined) return { kind: 'tag', name: tag };
  return branch === undefined ? { kind: 'default' } : { kind: 'branch', name: branch };
}

export function showReference(reference: ReferenceSelection): string {
  return reference.kind === 'default' ? 'default branch' : `${reference.kind} "${reference.name}"`;
}

const LONGEST = 250;

/**
 * Returns the fault of the name of a branch or tag, by the rules of git (git-check-ref-format); undefined
 * when it is valid.
 */
export function findNameFault(name: string): string | undefined {
  if (name.startsWith('-')) return 'begins with -';
  if (name.length > LONGEST) return `is longer than ${LONGEST} characters`;
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\u0000-\u0020\u007f~^:?*[\\]/.test(name)) return 'has an invalid character';
  if (!name.isWellFormed()) return 'is not valid Unicode';
  if (name.includes('..') || name.includes('@{') || name === '@') return 'means something else to git';
  if (name.split('/').some((part) => part === '' || part.startsWith('.') || part.endsWith('.lock')))
    return 'has an invalid part';
  return name.endsWith('.') ? 'ends with a dot' : undefined;
}

export function isCommit(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text);
}
