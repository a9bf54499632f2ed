import { ENTRY_TYPES, type EntryType, isJsonObject } from '@portolan/plugin-api';
import { claimsOf, type ClaimRow, rowsSent } from '../forms/claims-editor.ts';
import type { Problems } from '../forms/problems.ts';

export interface PublishTyped {
  readonly type: EntryType;
  readonly document: string;
  readonly source: string;
  readonly claims: readonly ClaimRow[];
}

export const NOTHING_TYPED: PublishTyped = { type: 'server', document: '', source: '', claims: [] };

export function typedOfForm(form: URLSearchParams): PublishTyped {
  return {
    type: ENTRY_TYPES.find((type) => type === form.get('type')) ?? 'server',
    document: form.get('document') ?? '',
    source: form.get('source')?.trim() ?? '',
    claims: rowsSent(form),
  };
}

export function readPublication({ type, document, claims: rows }: PublishTyped): {
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly problems: Problems;
} {
  const { claims, problems: wrongClaims } = claimsOf(rows);
  const parsed = parseDocument(document);
  const problems = new Map<string, readonly string[]>();
  if (wrongClaims.length > 0) problems.set('claims', wrongClaims);
  if (typeof parsed === 'string') problems.set('document', [parsed]);
  if (problems.size > 0) return { body: undefined, problems };
  return { body: { [type]: parsed, ...(Object.keys(claims).length === 0 ? {} : { claims }) }, problems };
}

/** Parses a document. Returns a string that says why it is invalid. */
export function parseDocument(text: string): Readonly<Record<string, unknown>> | string {
  if (text.trim() === '') return 'There is no document yet.';
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : 'This is JSON, but no object.';
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`;
  }
}
