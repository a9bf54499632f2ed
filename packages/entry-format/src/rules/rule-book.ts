/**
 * Strictness of validation. `publish`: a publisher can correct the document. `sync`: only unusable documents
 * of a catalogue are skipped.
 */
export type Strength = 'publish' | 'sync';

export type Severity = 'error' | 'warning';

export interface Rule {
  readonly type: 'schema' | 'semantic' | 'linter';
  /** `off` disables the rule at this strictness. */
  readonly publish: Severity;
  readonly sync: Severity | 'off';
}

const structure = { type: 'schema', publish: 'error', sync: 'error' } as const;
const identity = { type: 'semantic', publish: 'error', sync: 'error' } as const;
const meaning = { type: 'semantic', publish: 'error', sync: 'warning' } as const;
const advice = { type: 'semantic', publish: 'warning', sync: 'warning' } as const;

/**
 * Rules beyond the schemas, by the `reference` of their issues. Name and version are always errors, because
 * without them an entry could not be found or would shadow another one.
 */
export const RULES = {
  'document-size': structure,
  'skill-status': structure,
  'name-format': identity,
  'name-short-part': advice,
  'version-concrete': identity,
  'schema-known': meaning,
  'title-blank': meaning,
  'website-https': meaning,
  'icon-https': meaning,
  'repository-host': advice,
  'repository-subfolder': meaning,
  'package-identifier': meaning,
  'package-hash': meaning,
  'argument-name': meaning,
  'argument-value': meaning,
  'transport-url': meaning,
  'template-name': meaning,
  'value-name': advice,
  'remote-address': meaning,
  'metadata-size': meaning,
  'hidden-text': advice,
  'runtime-hint': { type: 'linter', publish: 'warning', sync: 'off' },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof RULES;
